"""Draw docs/rules/*.svg, the networks of the pairing rules: ``python docs/draw_rules.py``."""

from pathlib import Path

from transcript import draw

HERE = Path(__file__).parent

if __name__ == "__main__":
    draw(HERE / "pairing.md", HERE / "rules")
