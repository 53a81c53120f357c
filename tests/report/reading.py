"""Read the container of a report back, one byte after the other, as the page does."""

import json
import zlib


def read_container(text):
    """Return the values of every section by name, from the text in the page."""
    return sections_of(zlib.decompress(bytes_of(text), wbits=-15))


def bytes_of(text):
    signs = [chr(c) for c in range(ord("#"), ord("~") + 1) if chr(c) != "<"]
    assert len(signs) == 91
    numbers = [signs.index(a) + 91 * signs.index(b) for a, b in zip(*[iter(text)] * 2, strict=True)]
    bits = "".join(f"{number:013b}" for number in numbers[1:])
    bits = bits[: len(bits) - numbers[0]]
    assert len(bits) % 8 == 0
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))


def sections_of(data):
    size = int.from_bytes(data[:4], "little")
    at, found = 4 + size, {}
    for listed in json.loads(data[4:at].decode("utf-8"))["sections"]:
        raw = data[at : at + listed["bytes"]]
        at += listed["bytes"]
        assert listed["name"] not in found, listed["name"]
        if listed["kind"] == "json":
            found[listed["name"]] = json.loads(raw.decode("utf-8"))
            continue
        values = whole_numbers(raw)
        assert len(values) == listed["count"]
        if listed["kind"] == "zigzag":
            values = [-(v + 1) // 2 if v % 2 else v // 2 for v in values]
        found[listed["name"]] = values
    assert at == len(data)
    return found


def whole_numbers(raw):
    values, value, shift = [], 0, 0
    for byte in raw:
        value += (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert shift == 0
    return values
