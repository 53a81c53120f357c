"""Compare two records of record.py:  python tests/two_trees/compare.py OLD.json NEW.json [SHOWN]

Per section that both have: entries that are equal, that differ, that are missing in NEW or could not be
recorded there (a name is gone: add it to translate.py). Then the first SHOWN (20) differences, spread
over the families. Sections "words …" are compared loosely, as numbers of no order: "fewer" lacks some of
the old numbers, "more" has all of them and further ones. Exit code 1: a strict entry differs or is missing.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path


def family(key):
    words = key.split()
    return " ".join(re.sub(r"\(.*", "", w) for w in words[1:2]) if len(words) > 1 else key


def pieces(old, new):
    """The words of both texts that differ, with a few around."""
    a, b = old.split(), new.split()
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    cut = lambda w: " ".join(w[max(0, at - 1) : at + 4])
    return f"{readable(cut(a))}\n      {'new':>4}: {readable(cut(b))}"


def readable(text):
    def plain(match):
        try:
            return f"{match[0]} ({float.fromhex(match[0]):.17g})"
        except (ValueError, OverflowError):
            return match[0]

    return re.sub(r"-?0x[0-9a-f.]+p[+-]\d+", plain, text)[:400]


def loosely(old, new):
    if old == new:
        return "equal"
    if new[:1] == "?":
        return "broken"
    a, b = Counter(old.split()), Counter(new.split())
    return "reordered" if a == b else "fewer" if a - b else "more"


def main():
    old, new = (json.loads(Path(p).read_text("utf-8")) for p in sys.argv[1:3])
    shown = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    print(f"old {old['hierpair']}\nnew {new['hierpair']}")
    bad = 0
    partial = bool(new["only"])
    broken = Counter()
    differences = defaultdict(list)
    for section, before in old["sections"].items():
        after = new["sections"].get(section)
        if after is None:
            continue
        if section.startswith("words"):
            kinds = Counter(
                loosely(v, after[k]) if k in after else "missing" for k, v in before.items()
            )
            if partial:
                kinds.pop("missing", None)
            if kinds:
                print(
                    f"{section:16} "
                    + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items()))
                    + "  (loose)"
                )
            for k, v in before.items():
                if k in after and loosely(v, after[k]) in ("fewer", "broken"):
                    differences[f"{section}: {family(k)}"].append((k, v, after[k]))
            continue
        count = Counter()
        families = defaultdict(Counter)
        for key, value in before.items():
            found = after.get(key)
            if found is None:
                if partial:
                    continue
                kind = "missing"
            elif found == value:
                kind = "equal"
            elif found.startswith("?"):
                kind = "broken"
                broken[found[:160]] += 1
            else:
                kind = "differs"
                differences[f"{section}: {family(key)}"].append((key, value, found))
            count[kind] += 1
            families[family(key)][kind] += 1
        count["new entries"] = sum(k not in before for k in after)
        print(f"{section:16} " + ", ".join(f"{n} {k}" for k, n in sorted(count.items()) if n))
        bad += count["differs"] + count["missing"] + count["broken"]
        for name, kinds in families.items():
            if set(kinds) - {"equal"}:
                print(f"    {name:24} " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())))
    for text, n in broken.most_common(12):
        print(f"broken, {n} times: {text}")
    each = max(1, shown // max(1, len(differences)))
    left = shown
    for name, rows in sorted(differences.items(), key=lambda kv: kv[0].startswith("words")):
        for key, a, b in rows[:each]:
            if left > 0:
                print(f"\n{name}\n  {key}\n      {'old':>4}: {pieces(a, b)}")
                left -= 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
