"""Tables out: aligned text, Markdown, LaTeX, CSV, TSV, JSON."""
