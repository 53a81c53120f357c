"""A table that does not fit is read as one that does: the same labels, and the same refusals."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hierpair import BadInput
from hierpair.io import formats
from hierpair.io import text as text_blocks
from hierpair.io.datasets import check_ids, open_dataset
from tests import effort

from .streamed import streamed, whole

HOW = settings(
    max_examples=effort.cases(150), deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
CLASSES = ["a0", "a1", "b2", "r", "7", "é", "p"]
LABEL = st.sampled_from([*CLASSES, " a1", "a1 ", "zz", "", "\u00a0a1", "A1", '"a1"', "1.0"])
CELL = st.lists(LABEL, max_size=3).map("|".join)
SPECIAL = st.sampled_from(
    ["", " ", "\t", ",", '"', '""', "\n", "\r", "\r\n", "\0", "|", "a1", "x", "é", "\ufeff", "\u2028",
     '"a1"', ',"a1|b2"', "\x0c", "#", "\\", "nan", "NULL"]
)  # fmt: skip


def ids_of(n, data):
    some = [f"d{i}" for i in range(n)]
    odd = st.sampled_from(["", " ", "d0", " d1", "é", "NA", "1"])
    return [data.draw(odd) if data.draw(st.integers(0, 14)) == 7 else name for name in some]


def both(path, fmt, columns=None, unknown="error", *, at_once=True):
    """Compare the readers; ids that come twice are found by another check in the large."""
    expected = whole(path, fmt=fmt, columns=columns, unknown=unknown)
    for rows in (1, 3, 1000):
        found = streamed(path, fmt=fmt, columns=columns, unknown=unknown, rows=rows)
        if isinstance(expected, str) and "already occurs at" in expected and found != expected:
            with pytest.raises(BadInput, match="already occurs at"):
                check_ids(open_dataset(path, fmt, columns=columns))
            continue
        if isinstance(expected, str):  # only of a small file the first line may be asked about
            if "looks like a header" in expected:
                continue
            expected = expected.partition("; or is this line a header?")[0]
        if isinstance(expected, dict) and expected["ids"] and not isinstance(found, str):
            taken_as_long = len(expected["ids"]) < len(found["ids"])
            if taken_as_long:  # a small file whose ids come again may be one of a label per row
                assert len(set(found["ids"])) < len(found["ids"])
                continue
        if found is None:  # scoring says so
            found = f"{path}: the file has no instances"
        refused = isinstance(found, str) and isinstance(expected, str)
        no_text = refused and ("is not UTF-8" in expected or "a NUL byte" in expected)
        if refused and (no_text or rows < 1000 or not at_once):
            assert str(path) in found  # of several faults another one may come first
            continue
        assert found == expected
    return expected


@given(st.data())
@HOW
def test_generated_tables(tmp_path_factory, data):
    """Columns in any order and by any of their names, blanks, odd labels, quotes, line ends."""
    folder = tmp_path_factory.mktemp("t")
    fmt = data.draw(st.sampled_from(["csv", "tsv", "table", "jsonl", "lines", "parquet"]))
    n = data.draw(st.integers(0, 12))
    labels = [data.draw(CELL) for _ in range(n)]
    table = {data.draw(st.sampled_from(["id", "Instance", " instance_id"])): ids_of(n, data),
             data.draw(st.sampled_from(["labels", "Class", "classes"])): labels,
             "note": [data.draw(st.sampled_from(["", "x", "a, b", 'say "x"'])) for _ in range(n)]}  # fmt: skip
    names = data.draw(st.permutations(list(table)))
    path, end = folder / f"t.{fmt}", data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    if fmt == "parquet":
        if data.draw(st.booleans()):  # lists come numbered, as the file has them
            lists = st.none() | st.lists(LABEL | st.sampled_from(["a1", None]), max_size=4)
            kind = data.draw(st.sampled_from([pa.list_(pa.string()), pa.large_list(pa.string())]))
            table[[*table][1]] = pa.array([data.draw(lists) for _ in range(n)], kind)
        numbered = data.draw(st.booleans())
        pq.write_table(pa.table(table), path, row_group_size=4, use_dictionary=numbered)
    else:
        path.write_bytes(text_of(fmt, names, table, end, data).encode())
    with pytest.MonkeyPatch.context() as patched:
        block = data.draw(st.sampled_from([5, 40, 2**20]))
        patched.setattr(text_blocks, "BLOCK", block)
        unknown = data.draw(st.sampled_from(["error", "drop", "root"]))
        both(path, fmt, unknown=unknown, at_once=block == 2**20)


def text_of(fmt, names, table, end, data):
    """Write a table as text, with blank lines here and there."""
    columns = list(table.values())
    if fmt == "lines":
        return end.join(x.replace("|", " ") for x in columns[1]) + end
    if fmt == "jsonl":
        import json

        rows = [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]
        return "".join(json.dumps(row) + end for row in rows)
    if fmt == "table":
        rows = [f"{a}\t{b}" for a, b in zip(columns[0], columns[1], strict=True)]
    else:
        sign = {"csv": ",", "tsv": "\t"}[fmt]
        cells = zip(*(table[name] for name in names), strict=True)
        always = data.draw(st.booleans())

        def field(text):
            if fmt == "tsv" or not (always or set(text) & set(',"\r\n')):
                return text
            return '"' + text.replace('"', '""') + '"'

        rows = [sign.join(map(field, row)) for row in [names, *cells]]
    blank = st.sampled_from(["", "", "", end, f" {end}"])
    return "".join(row + end + data.draw(blank) for row in rows)


@given(
    st.sampled_from(["csv", "tsv", "table"]), st.lists(SPECIAL, max_size=14).map("".join),
    st.sampled_from([3, 16, 2**20]), st.booleans(), st.sampled_from([b"", b"\xff", b"\xc3"]),
)  # fmt: skip
@example("csv", 'x,"a1" \n', 2**20, False, b"")
@example("csv", 'x,"a1\n', 2**20, False, b"")
@example("csv", 'x, "a1"\n', 3, False, b"")
@example("csv", "x,a1,\n", 2**20, False, b"")
@example("tsv", "x\ta1\t\n", 2**20, True, b"")
@example("tsv", "x\t\0a1\n", 2**20, False, b"")
@example("table", "x\ta1\t\ny\tb2\n", 3, False, b"")
@HOW
def test_whatever_bytes_there_are(tmp_path_factory, fmt, text, block, packed, last):
    """Short and long rows, open quotes, NUL, broken UTF-8, odd line ends: read alike or refused."""
    path = tmp_path_factory.mktemp("b") / ("t.gz" if packed else "t")
    sign = "," if fmt == "csv" else "\t"
    head = f"id{sign}labels\nx0{sign}a1\n" if fmt != "table" else "x0\ta1\n"
    content = (head + text).encode() + last
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_blocks, "BLOCK", block)
        both(path, fmt, at_once=block == 2**20)


@pytest.mark.parametrize("fmt", ["csv", "tsv", "table"])
def test_plain_lines_are_taken_apart_at_once(tmp_path, monkeypatch, fmt):
    """Not row by row, as only what is odd is."""
    sign = "," if fmt == "csv" else "\t"
    head = [] if fmt == "table" else [f"id{sign}labels"]
    path = tmp_path / "t"
    path.write_text("\n".join([*head, *(f"d{i}{sign}a1|b2" for i in range(9)), f"last{sign}"]))
    slow = []
    monkeypatch.setattr(
        formats, "tables_of", lambda *x, f=formats.tables_of: slow.append(x) or f(*x)
    )
    assert isinstance(both(path, fmt), dict)
    assert not slow


@pytest.mark.parametrize(("fmt", "sign"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize(("fault", "said"), [
    (b"\0", ":3: a NUL byte"), (b"\xff", ":3: byte 0xff is not UTF-8"),
])  # fmt: skip
def test_bytes_that_are_no_text_count_in_columns_that_are_not_read(
    tmp_path, monkeypatch, fmt, sign, fault, said
):
    path = tmp_path / "t"
    rows = [b"id,labels,note", b"x,a1,one", b"y,b2,t" + fault, b"z,r,three"]
    path.write_bytes(b"\n".join(rows).replace(b",", sign.encode()) + b"\n")
    assert said in both(path, fmt)
    monkeypatch.setattr(text_blocks, "BLOCK", 8)  # far behind what tells the form
    with pytest.raises(BadInput, match=said):
        for _ in open_dataset(path, fmt).rows(["labels"]):
            pass


@pytest.mark.parametrize("fmt", ["csv", "tsv"])
def test_rows_without_any_text_are_passed_over(tmp_path, fmt):
    """Before the header and between the rows; the lines of errors count them."""
    lines = ["", " ", "id,labels,note", "x,a1,", " , ,", "", ",,", "y,b2,one"]
    path = tmp_path / "t"
    sign = {"csv": ",", "tsv": "\t"}[fmt]
    path.write_text("\n".join(lines).replace(",", sign) + "\n")
    assert both(path, fmt)["ids"] == ["x", "y"]
    path.write_text("\n".join([*lines, "z,zz,"]).replace(",", sign) + "\n")
    assert ":9, instance 'z': class 'zz'" in both(path, fmt)
    path.write_text("\n".join(["", *lines[2:4], "z,zz,"]).replace(",", sign) + "\n")
    assert ":4, instance 'z': class 'zz'" in both(path, fmt)
    path.write_text("\n".join(["", *lines[2:4], "z,a1,"]).replace(",", sign) + "\n")
    assert both(path, fmt)["ids"] == ["x", "z"]
