"""What is packed into a page comes back as it was, whatever the names and numbers."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair.report.packing import as_text, container, packed_text, section

from .reading import bytes_of, read_container, sections_of

NASTY = [
    "",
    "a\0b",
    "two\nlines\r\n\u2028",
    "</script><script>alert(1)</script>",
    "<!--",
    '"\\',
    "\ud800",
    "\udc00 and \ud800",
    "\U0001f600 \u202e evil",
    "x" * 10_000,
    "é" * 10_000,
]

numbers = st.integers(0, 2**62 - 1)
anything = st.text(st.characters(codec=None, exclude_categories=()))


def test_names_of_any_characters_come_back():
    assert read_container(packed_text([section("names", "json", NASTY)])) == {"names": NASTY}


@pytest.mark.exhaustive
@given(st.lists(anything), st.lists(numbers), st.lists(st.integers(-(2**62), 2**62 - 1)))
def test_every_section_comes_back(texts, counts, changes):
    sections = [
        section("t", "json", texts),
        section("c", "varint", counts),
        section("none", "varint", []),
        section("d", "zigzag", changes),
    ]
    plain = {"t": texts, "c": counts, "none": [], "d": changes}
    assert read_container(packed_text(sections)) == plain
    assert sections_of(container(sections)) == plain


@pytest.mark.parametrize("power", range(0, 63, 7))
def test_numbers_on_both_sides_of_a_byte(power):
    values = [2**power - 1, 2**power, 2**power + 1, 0]
    assert read_container(packed_text([section("v", "varint", values)]))["v"] == values
    signed = [*values, *(-v for v in values)]
    assert read_container(packed_text([section("v", "zigzag", signed)]))["v"] == signed


def test_rows_are_written_one_after_the_other():
    found = section("rows", "varint", np.array([[1, 2, 3], [4, 5, 6]]))
    assert (found.count, list(found.data)) == (6, [1, 2, 3, 4, 5, 6])


def test_small_numbers_take_a_byte_and_repeated_ones_nearly_nothing():
    found = section("v", "varint", np.full(100_000, 7))
    assert len(found.data) == 100_000
    assert len(packed_text([found])) < 500


def test_text_in_the_page_cannot_end_its_element():
    text = packed_text([section("names", "json", NASTY)])
    assert set(text) <= {chr(c) for c in range(ord("#"), ord("~") + 1)} - {"<"}


@given(st.binary())
def test_text_comes_back_as_bytes(data):
    text = as_text(data)
    assert bytes_of(text) == data
    assert len(text) == 2 + 2 * -(-8 * len(data) // 13)


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [("varint", [3, -1], "-1 is negative"), ("float", [1], "kind must be one of")],
)
def test_what_cannot_be_written_is_refused(kind, values, said):
    with pytest.raises(ValueError, match=said):
        section("v", kind, values)


def test_numbers_that_json_does_not_have_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        section("v", "json", [float("nan")])
    assert json.loads(section("v", "json", [0.1]).data) == [0.1]
