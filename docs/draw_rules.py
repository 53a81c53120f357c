"""Draw docs/rules/*.svg, the networks of the pairing rules: ``python docs/draw_rules.py``."""

from pathlib import Path

from transcript import draw

HERE = Path(__file__).parent
PAGES, FOLDER = ("pairing.md", "howto/when-to-stop.md"), "rules"

if __name__ == "__main__":
    for page in PAGES:
        draw(HERE / page, HERE / FOLDER)
