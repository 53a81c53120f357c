"""Draw docs/rules/*.svg, the networks of the pairing rules: ``python docs/draw_rules.py``.

The examples of two pages draw them; they are run in the folder of the pictures.
"""

import contextlib
import doctest
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGES, FOLDER = ("pairing.md", "howto/when-to-stop.md"), "rules"


def write(source: Path, folder: Path) -> None:
    """Run the examples of the pages in a folder, where they leave their pictures."""
    folder.mkdir(exist_ok=True)
    for page in PAGES:
        text = (source / page).read_text("utf-8")
        names: dict[str, object] = {}
        with contextlib.chdir(folder):
            for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
                test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
                doctest.DocTestRunner().run(test, clear_globs=False)
                names.update(test.globs)


if __name__ == "__main__":
    write(HERE, HERE / FOLDER)
