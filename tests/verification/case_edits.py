"""Changes of the files of cases that tests make in a copy."""

import re

from hierpair.verification import cases


def put(home, name, file, text):
    """Let a case hold another text as one of its files: a text, or a function of the old one."""
    path = home / f"{name.partition('-')[0]}.toml"
    before, rest = path.read_text("utf-8").split(f"[{name}.data]\n")
    found = re.search(rf"\"{re.escape(file)}\" = '''\n(.*?)'''", rest, flags=re.DOTALL)
    new = text(found[1]) if callable(text) else text
    write(path, f"{before}[{name}.data]\n{rest[: found.start(1)]}{new}{rest[found.end(1) :]}")
    return found[1]


def rows_of(home, name):
    """Return the file of the printed rows of a case, its lines, and the numbers of its own."""
    path = home / f"{name.partition('-')[0]}.tsv"
    lines = path.read_text("utf-8").splitlines()
    return path, lines, [k for k, line in enumerate(lines) if line.startswith(f"{name}\t")]


def change_row(home, name, before, after):
    """Change the first printed row of a case that has a text."""
    path, lines, own = rows_of(home, name)
    k = next(k for k in own if before in lines[k])
    lines[k] = lines[k].replace(before, after, 1)
    write(path, "\n".join(lines))


def write(path, text):
    """Write a file, and forget what was read."""
    path.write_text(text, "utf-8")
    cases._texts.cache_clear()
