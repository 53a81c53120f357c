"""Coverage-guided fuzzing of all readers with atheris; pytest does not run this.

Run it in the folder of the project, for as long as you like::

    python tests/fuzz/readers.py                         # all formats, until it finds something
    python tests/fuzz/readers.py -max_total_time=300     # for five minutes
    python tests/fuzz/readers.py --only=obo,jsonl -max_total_time=60 corpus/
    python tests/fuzz/readers.py crash-0123abcd          # a find once more

The extra ``dev`` has atheris. Options with one dash, and folders, are libFuzzer's: what it learns
stays in the first folder that is named, and a find is written to the working folder. The first
byte of an input chooses the format and the rest is the file; the files of ``tests/io/test_hostile_files.py``
are where it starts.

A find is any exception but ``HierpairError``, a message without the name of the file, a file that
is read and written but not read back the same, or a run of more than ten seconds.
"""

import logging
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

with atheris.instrument_imports(include=["hierpair", "rdflib", "json"]):
    import rdflib.plugins.parsers.notation3
    import rdflib.plugins.parsers.rdfxml  # noqa: F401

    from hierpair.io import HIERARCHY_FORMATS, LABEL_FORMATS
    from tests.io.test_hostile_files import (
        HIERARCHIES,
        LABELS,
        as_bytes,
        read_labels_or_refuse,
        read_tree_or_refuse,
    )

TARGETS = [
    *(("hierarchy", name) for name in [*HIERARCHY_FORMATS, "auto"]),
    *(("labels", name) for name in [*LABEL_FORMATS, "auto"]),
]
FOLDER = Path(tempfile.mkdtemp(prefix="hierpair-fuzz-"))


def one_input(data):
    """Read one file in the format that its first byte tells."""
    if not data:
        return
    what, fmt = CHOSEN[data[0] % len(CHOSEN)]
    path = FOLDER / "file"
    path.write_bytes(data[1:])
    if what == "hierarchy":
        read_tree_or_refuse(path, fmt)
    else:
        read_labels_or_refuse(path, fmt, unknown="drop")


def seeds():
    """Write the sound files as the inputs to start from; return their folder."""
    folder = FOLDER / "seeds"
    folder.mkdir()
    for number, (what, fmt) in enumerate(CHOSEN):
        known = HIERARCHIES if what == "hierarchy" else LABELS
        for k, content in enumerate(known.get(fmt, [])):
            (folder / f"{what}-{fmt}-{k}").write_bytes(bytes([number]) + as_bytes(content))
    return str(folder)


CHOSEN = TARGETS


def main():
    """Take our own option out of the command line, and leave the rest to libFuzzer."""
    global CHOSEN  # noqa: PLW0603
    only = [word.removeprefix("--only=") for word in sys.argv if word.startswith("--only=")]
    if only:
        names = only[0].split(",")
        CHOSEN = [target for target in TARGETS if target[1] in names]
    arguments = [word for word in sys.argv if not word.startswith("--only=")]
    warnings.simplefilter("error")
    logging.disable(logging.CRITICAL)
    finds = any(Path(word).is_file() for word in arguments[1:])
    more = [] if finds else [seeds()]
    if not any(word and not word.startswith("-") for word in arguments[1:]) and not finds:
        more = [str(FOLDER / "corpus"), *more]
        Path(more[0]).mkdir()
    atheris.Setup(
        [*arguments, "-timeout=10", "-rss_limit_mb=2000", "-max_len=2000", *more], one_input
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
