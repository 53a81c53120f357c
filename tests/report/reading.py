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
    at, found = 4 + int.from_bytes(data[:4], "little"), {}
    for name, is_numbers, size in json.loads(data[4:at].decode("utf-8")):
        raw = data[at : at + size]
        at += size
        assert name not in found, name
        found[name] = whole_numbers(raw) if is_numbers else json.loads(raw.decode("utf-8"))
    assert at == len(data)
    return found


def whole_numbers(raw):
    values, value, shift = [], 0, 0
    for byte in raw:
        value += (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(-(value + 1) // 2 if value % 2 else value // 2)
            value = shift = 0
    assert shift == 0
    return values
