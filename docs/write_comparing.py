"""Write docs/comparing.md and its pictures: ``python docs/write_comparing.py``.

Every command is run and shown with what it prints. The GermEval labels do not come with hierpair:
where they are not in the data folder, what the page says of them is kept as it is.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from hierpair.cli import main
from hierpair.verification.cases import DATA

PAGE = """\
<!-- Written by python docs/write_comparing.py; do not edit. -->

# Tutorial: comparing systems

A table of scores shows which number is larger. Two more questions are whether the difference would
also be found on other instances, and whether it would remain under another convention. This tutorial
leads from files to a finished table and figure with real systems: six that classify transposons, and
those of GermEval 2019, which all labelled the same books. What exactly is computed, and why, is
explained in [conventions](conventions.md#comparing-systems).

## Six systems, scores only

The case `transposon` comes with hierpair. It contains how often each of six systems predicted each
class for objects of each true class.

```console
$ hierpair score --case transposon -m subset_accuracy -m hf -m gie -m hcm_f -m hcm_mcc --quiet
```

**These systems cannot be tested against each other.** Every system classified the same 9,006 objects,
but the published counts do not show which predictions of two systems belong to the same object: the
case orders the objects by their true class. A paired test would compare predictions for different
objects. The case is marked accordingly, and `compare` refuses it:

```text
$ hierpair compare --case transposon -m hf --quiet
hierpair: the instances of case 'transposon' are not the same objects for all systems, so they cannot be compared one by one; --agreement, --sensitivity and hierpair score need only the scores
```

The same holds for your own data if systems were scored on different samples, or if predictions were
sorted. Files with ids are matched by id.

Analyses that need no pairing of instances are still possible. Do the measures agree?

```console
$ hierpair compare --case transposon -m subset_accuracy -m hf -m gie -m hcm_f -m hcm_mcc --agreement --quiet
@ 7
```

They do: Kendall's tau is 1 throughout, so all five measures rank these systems in the same order. Does
the order depend on conventions?

```console
$ hierpair compare --case transposon -m hf -m gie --sensitivity --quiet
@ 33
```

The scores change a lot (TERL has 0.016 under hf, and 0.293 if the root counts), but the order never
changes. For a paper, `--format latex` gives a table with the best system in bold and the conventions as
comments:

```console
$ hierpair score --case transposon -m hf -m gie -m hcm_f --format latex --quiet
```

## The same books for all systems

The data of GermEval 2019 are CC BY-NC and do not come with hierpair. With the files of the shared task
in a folder, one command makes the whole comparison of task B, from files to table; `book` and `labels`
are columns of the files, blank labels are dropped, and a book without a prediction counts as an empty
set:

```text
$ cd germeval2019
$ hierpair compare hierarchy.tsv gold.tsv Averbis=Averbis__BOHB_CNN.tsv Contender=LT-UHH__contender.tsv DFKI-SLT=DFKI-SLT__full.tsv HSHL=HSHL__LogisticRegression_NaiveBayes1.tsv Baseline=LT-UHH__baseline.tsv --id-column book --label-column labels --where task=B --unknown drop --missing empty -m hf -m gie -m lca_f -m hcm_f --quiet
```

How to read it:

- *Numbers in brackets* are ranks, as in the tables of Kosmopoulos et al. (2014): two systems have the
  same rank if no significant difference between them is found. That is not the same as being equal.
- *†* marks systems that are significantly worse than the best one of the column.
- *Intervals* show where the score of a system would lie on other books of the same kind. Whether two
  systems differ is decided by the test, not by whether their intervals overlap: both classified the same
  books, and books that are hard for one system are often hard for the other.
- *labels* is the mean number of labels per book, which explains much of the disagreement of measures.
- The last lines state everything that the numbers depend on: test, rounds, seed, and the conventions of
  each measure. The same command gives the same numbers.

The case `germeval2019-b` contains these options, so the following commands use it instead of the files
(`--data` or `HIERPAIR_DATA` names the folder). All pairs of systems, with differences and effect sizes:

```text
$ hierpair compare --case germeval2019-b -m hf --pairs --quiet
@ 31
```

The table for the paper, with measures in their usual notation, shares in percent, a caption and a label
(`--intervals` adds the table of intervals, and `--baseline NAME` tests every system against one alone):

```text
$ hierpair compare --case germeval2019-b -m hf -m gie -m hcm_f --format latex --percent --caption "Five systems of task B." --label tab:systems --rename DKFI-SLT=DFKI-SLT --quiet
```

and its figure, in which a bar joins systems that do not differ significantly:

```text
$ hierpair compare --case germeval2019-b -m gie --picture comparing-ranks.svg --quiet
@ 0
```

![Five systems on a scale of GIE; bars join Averbis with DFKI-SLT, and DFKI-SLT with
Contender](comparing-ranks.svg)

Other views are `intervals`, `significance`, `agreement` and `depth`; several measures are drawn one below
the other. The view `depth` shows where the hard books are:

```text
$ hierpair compare --case germeval2019-b -m hf --picture comparing-depth.svg --view depth --quiet
@ 0
```

![hf of five systems by the depth of the deepest true label: Averbis leads at depth 3, Contender at
depth 1](comparing-depth.svg)

## Do the measures agree?

Less than one might expect:

```text
$ hierpair compare --case germeval2019-b -m subset_accuracy -m hp -m hr -m hf -m sdl -m gie -m mgia -m lca_f -m hcm_f --agreement --picture comparing-agreement.svg --view agreement --quiet
@ 10
```

![Heat map of Kendall's tau between nine measures](comparing-agreement.svg)

`hf`, `lca_f` and `hcm_f` give the same order. `gie`, which requires a partner for every label, and `hp`,
which does not penalise missing labels, give other orders: they measure different things
([measures](measures.md)). Five systems are few: exchanging a single pair changes tau by 0.2.

Five systems say little, and 4,157 books say more. With `--of systems` every correlation has an interval over
resampled books, and the range with one system left out:

```text
$ hierpair compare --case germeval2019-b -m hf -m lca_f -m gie -m mgia --agreement --of systems --quiet
@ 16
```

`hf` and `gie` agree on half of the pairs, and with another choice of four of these systems tau would be
anything from −0.67 to 0.33. *accuracy* is the share of pairs in the same order; *soft* also counts how sure
each measure is of a pair (Thompson et al. 2024), and tau_AP counts errors at the top more (Yilmaz et al. 2008).
With ten systems or more these are resampled, too.

`--of instances` compares what the measures say of each book. A *decision* is about a book and two systems:

```text
$ hierpair compare --case germeval2019-b -m subset_accuracy -m descendant_f -m hp -m hf -m f -m lca_f -m mgia -m gie --agreement --of instances --picture comparing-clusters.svg --view clusters --quiet
@ 36
```

![Dendrogram of eight measures beside their correlations: f and hf are one, gie joins the others late, hp and
descendant_f stand apart](comparing-clusters.svg)

- `f` and `hf` reverse 0.2 % of their decisions: the labels of these books are given with all classes above
  them, so that flat sets are hierarchical ones.
- `gie` reverses every fifth decision of `hf`, and every third of `hp`. They are not variants of one measure.
- `subset_accuracy` decides every fifth time only, `descendant_f` every fourth; `hf` two times of three.

Agreement with a popular measure is no sign of validity: it may be wrong in the same places.

## What do the measures charge?

`hierpair examine HIERARCHY TRUTH --only-labels`, in Python `respond`, needs no systems. It makes controlled errors
in the true labels and asks what each costs, in units of an unrelated class of the same depth in place of the
label: 0 is right, 1 is as bad as nonsense. Every error is made to the same labels, and *+* stands for a class
beside them.

```text
$ hierpair examine --case germeval2019-b --only-labels -m hf -m sdl -m gie -m mgia -m lca_f -m hcm_f -m h_loss -m descendant_f -m f --picture comparing-responses.svg --quiet
@ 23
```

![Lines from right to unrelated for nine measures, and bars for labels added and left
out](comparing-responses.svg)

These are 2,150 books with a label at depth 3 that has a sibling and a cousin; all intervals are narrower than
±0.03. The measures do not charge alike:

- `lca_f` takes a sibling for two thirds of nonsense, the others for one third; `h_loss` hardly sees what is
  wrong below the top; flat measures see no nearness at all.
- `descendant_f` charges a grandparent more than nonsense.
- `gie` charges 5 for every label too many, near or far; `mgia` and `lca_f` charge more for a label left out than
  for nonsense in its place.
- Chance level differs, too: with any classes in place of all labels `mgia` is 0.53, `lca_f` 0.29, `hf` 0.10
  and `f` 0.00. A score means little without it; the floor is the last column of the raw costs.

Without `--only-labels` the properties of the measures stand above this, and with files of
predictions what follows stands below it.

## Discriminative power

```text
$ hierpair compare --case germeval2019-b -m recall -m hf -m lca_f -m gie -m mgia -m subset_accuracy -m sdl --power --sizes 100,400,800,2078 --picture comparing-power.svg --view power --quiet
```

![Power of seven measures by number of books: recall is first everywhere, sdl last](comparing-power.svg)

- *power* is the share of the ten pairs of systems that a paired test tells apart (discriminative power, Sakai
  2006); the curves of p-values behind it are drawn above. The p-values are not adjusted: they say something of
  measures, and nothing of systems.
- *Swap rate*: two samples of 400 books order a pair differently in every eighth case under `hf`.
- *Planted* answers are wrong on purpose, the same for all measures: a quarter of a percent of them is found by
  all measures but `subset_accuracy`, to which most of these answers were wrong before; it needs one percent.

`recall` wins all of this and can be had for nothing, by predicting everything. **Power is not validity**: on real
pairs measures differ mostly because they ask different questions.

## Sensitivity to conventions

Each measure is scored under every combination of root, average, Dmax, path threshold and pairing mode,
and every pair is tested in each:

```text
$ hierpair compare --case germeval2019-b -m hf -m gie --sensitivity --quiet
```

A claim that survives all conventions can be made without naming one. Others depend on a single
decision, which the last column names: such a claim is as much about the convention as about the systems.
`--vary root=exclude,include --vary average=samples,micro` restricts the conventions to those you choose.

## Where do two systems differ?

```text
$ hierpair compare --case germeval2019-b -m hf --differ Averbis,HSHL --top 3 --quiet
```

One more command explains the score of a single book:

```text
$ hierpair explain --case germeval2019-b --instance 9783791353593 -m hf --system Averbis --quiet
```

## In Python

The same works with arrays, columns of a data frame or dicts. `compare` takes the result of `score`.

```python
>>> import numpy as np
>>> from hierpair import Hierarchy, compare, score
>>> tree = Hierarchy.from_edges([
...     ("root", "animal"), ("animal", "cat"), ("animal", "dog"), ("root", "plant"), ("plant", "oak"),
... ])
>>> random = np.random.default_rng(0)
>>> truth = random.choice(["cat", "dog", "oak"], 400)
>>> def system(errors):
...     wrong = random.random(400) < errors
...     return np.where(wrong, random.choice(["cat", "dog", "oak"], 400), truth)
>>> systems = {"A": system(0.20), "B": system(0.24), "C": system(0.60)}
>>> found = compare(score(tree, truth, systems, ["hf", "gie"]))
>>> print(found.to_text().partition("\\n\\n")[0])
SHOWN_TABLE
>>> pairs = found.to_dataframe(pairs=True).query("measure == 'hf'")
>>> print(pairs[["system", "other", "difference", "wins", "losses", "p_adjusted"]].round(4).to_string(index=False))
SHOWN_PAIR
>>> found.groups("hf")
SHOWN_GROUPS

```

Several runs of a system, such as training seeds, are named with `runs`. The score is then the mean
over the runs, the interval a t interval over them, and instances are compared by the mean of the runs:

```python
>>> seeds = {f"{name}-{k}": system(errors) for name, errors in (("A", 0.2), ("C", 0.6)) for k in range(3)}
>>> runs = {"A": ["A-0", "A-1", "A-2"], "C": ["C-0", "C-1", "C-2"]}
>>> found = compare(score(tree, truth, seeds, ["hf"]), runs=runs)
>>> for name, value, low, high in zip(found.systems, found.values[:, 0], found.low[:, 0], found.high[:, 0]):
...     print(f"{name}: {value:.3f} [{low:.3f}, {high:.3f}]")
SHOWN_RUNS

```

The test `runs` compares the scores of the runs (Welch's t test): would training again give the same
order? All other tests ask whether other instances would.

Pictures are drawn on your own axes or in a new figure:

```python
>>> from hierpair.plots import RankDisplay, save_picture
>>> display = RankDisplay.from_comparison(found, "hf")
>>> save_picture(display, "ranks.pdf")  # doctest: +SKIP

```

`agreement`, `respond`, `discrimination`, `sensitivity`, `differ` and `by_depth` are the functions for the other questions, and
`score_like("hiclass-macro", …)` gives [the numbers of other tools](conventions.md#presets-by-tool-name).

## Parts of large data

Systems can also be compared where no machine has the values of all instances: `hierpair partial --blocks 1000`
keeps sums by block of instances, and `hierpair compare PART.hp …` resamples and exchanges blocks. The
[guide to parts](howto/parts.md#compare-systems) shows it, and the [conventions](conventions.md#comparing-systems)
say what blocks cannot tell.

## In continuous integration

`--fail-if-worse NEW,OLD` ends with exit code 1 if the new system is significantly worse than the old
one under any of the measures:

```bash
hierpair compare tree.tsv truth.tsv new.tsv old.tsv -m hf -m gie --fail-if-worse new,old
```
"""

BLOCK = re.compile(r"^```(console|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)
DONE = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)
EXAMPLE = re.compile(r"^SHOWN_(\w+)$", re.MULTILINE)


def write(docs: Path) -> None:
    """Write the page and its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        (docs / "comparing.md").write_text(page(docs, Path(folder)), "utf-8")
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, docs / picture.name)


def page(docs: Path, folder: Path) -> str:
    """Return the page; pictures go into the folder."""
    kept = docs / "comparing.md"
    blocks = BLOCK.findall(kept.read_text("utf-8")) if kept.exists() else []
    before = {command: out for _, block in blocks for command, out in DONE.findall(block)}
    data = os.environ.get(DATA)
    top = Path(data).resolve() if data and (Path(data) / "germeval2019").is_dir() else None

    def filled(block: re.Match[str]) -> str:
        lines = []
        for command, rest in DONE.findall(block[2]):
            lines.append(f"$ {command}\n{output(command, rest, before, folder, top)}")
        return f"```{block[1]}\n{''.join(lines)}```"

    return examples(BLOCK.sub(filled, PAGE))


def output(command: str, rest: str, before: dict[str, str], folder: Path, top: Path | None) -> str:
    """Return what a command prints, or what the page had where its data are not there."""
    if rest and not rest.startswith("@"):
        return rest
    if command.startswith("cd "):
        return ""
    of_germeval = "germeval2019" in command or "gold.tsv" in command
    if of_germeval and top is None:
        if command not in before:
            raise RuntimeError(f"the data of GermEval are needed once: {command}")
        return before[command]
    away = top / "germeval2019" if top is not None and "gold.tsv" in command else folder
    with contextlib.chdir(away), contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(shlex.split(command)[1:])
    if code:
        raise RuntimeError(f"exit code {code}: {command}")
    lines = out.getvalue().rstrip("\n").splitlines()
    most = int(rest[1:]) if rest else len(lines)
    shown = [line.rstrip() for line in lines[:most]] + ["..."] * (0 < most < len(lines))
    return "".join(f"{line}\n" for line in shown)


def examples(text: str) -> str:
    """Put in what the Python examples print."""
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        shown: dict[str, str] = {}
        code = ""
        for line in [*block.splitlines(), ">>> pass"]:
            mark = EXAMPLE.fullmatch(line)
            if line.startswith((">>> ", "SHOWN_")) and code:
                out = printed(code, names)
                if mark:
                    shown[mark[1]] = out.rstrip("\n")
                code = ""
            if line.startswith((">>> ", "... ")):
                code += "" if "+SKIP" in line else line[4:] + "\n"
        for key, out in shown.items():
            text = text.replace(f"SHOWN_{key}", out)
    return text


def printed(code: str, names: dict[str, object]) -> str:
    """Run one example as the interactive interpreter does, and return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "comparing.md", "single"), names)
    return out.getvalue()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    write(Path(__file__).parent)
