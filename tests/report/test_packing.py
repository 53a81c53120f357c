"""What is packed into a page comes back as it was, whatever the names and numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierpair.report.packing import as_text, packed_text, section

from .reading import bytes_of, read_container

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

changes = st.integers(-(2**62), 2**62 - 1)
anything = st.text(st.characters(codec=None, exclude_categories=()))


def array(values):
    return np.array(values, dtype=np.int64)


@pytest.mark.exhaustive
@given(st.lists(anything), st.lists(changes))
def test_every_section_comes_back(texts, numbers):
    sections = [section("t", texts), section("none", array([])), section("d", array(numbers))]
    assert read_container(packed_text(sections)) == {"t": texts, "none": [], "d": numbers}


@pytest.mark.parametrize("power", range(0, 62, 7))
def test_numbers_on_both_sides_of_a_byte(power):
    values = [s * (2**power + d) for s in (1, -1) for d in (-1, 0, 1)]
    assert read_container(packed_text([section("v", array(values))]))["v"] == values


def test_small_numbers_take_a_byte_and_repeated_ones_nearly_nothing():
    found = section("v", np.full(100_000, -7))
    assert len(found.data) == 100_000
    with pytest.raises(ValueError, match="JSON"):
        section("v", [float("nan")])
    assert len(packed_text([found])) < 500


def test_names_of_any_characters_come_back_and_cannot_end_their_element():
    text = packed_text([section("names", NASTY)])
    assert read_container(text) == {"names": NASTY}
    assert set(text) <= {chr(c) for c in range(ord("#"), ord("~") + 1)} - {"<"}


@given(st.binary())
def test_text_comes_back_as_bytes(data):
    text = as_text(data)
    assert bytes_of(text) == data
    assert len(text) == 2 + 2 * -(-8 * len(data) // 13)
