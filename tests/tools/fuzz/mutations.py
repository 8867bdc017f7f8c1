"""Odd values and damage: what is put into an input, and what is done to its bytes."""

import json
import random
from typing import Any

__all__ = ["NUMBERS", "TEXTS", "bent", "damaged", "edited", "either", "odd_json"]

NUMBERS = (
    "0", "1", "-1", "-0", "+3", "5", "6", "100", "0.5", ".5", "5.", "1e3", "1e-3", "1E+2", "1e308",
    "1e309",
    "1e-400",
    "-1e400", "1e155", "1e200", "9007199254740993", "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1" * 400, "0." + "3" * 400, "1_0", "٥", "５", "0x1F", "1,5", "inf", "-Infinity", "nan", "NaN",
    "1e",
    "--1", "1.2.3",
    "0" * 50 + "4", "4.000000000000000000001", "1e99999999999999999999", "½", "²", "1 ", " 2",
    "\t3",
    "True", "None",
)  # fmt: skip

TEXTS = (
    "", " ", "a", "id", "∅", "NA", "null", "é", "e\u0301", "ﬁ", "名前", "\u202eabc", "\ufeff",
    "\u2028",
    "a\nb", "a\rb",
    "a\tb", "\x1b[31m", "\x00", "\x7f", "'", '"', '""', 'a"b', "a,b", ";", "=1+1", "@SUM(1)", "-",
    "--",
    "--json", "%s", "{}",
    "{0.__class__}", "$HOME", "`id`", "../x", "/",
    "\\", ".", "..", "~", "*", "[", "x" * 300, "x" * 5000,
    "\ud800", "😀",
    "ratingpriv: error: no", "rating", "user", "1", "0", "-1", "1e400", "nan", "top:3", "random:2",
    "random:2:x", "@x",
)  # fmt: skip


def either(rng: random.Random, *shares_and_values: Any) -> Any:
    """Return the value of one pair (share, value); a value that can be called is called."""
    pairs = list(zip(shares_and_values[::2], shares_and_values[1::2], strict=True))
    value = rng.choices([value for _, value in pairs], [share for share, _ in pairs])[0]
    return value() if callable(value) else value


def damaged(rng: random.Random, data: bytes, other: bytes = b"") -> bytes:
    """Return the bytes with one to four things done to them: flipped, cut, doubled,
    moved, spliced.
    """
    content = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        size = len(content)
        place = rng.randrange(size + 1)
        length = min(size - place, rng.choice((1, 1, 2, 4, 16, 200)))
        match rng.randrange(10):
            case 0 | 1 if size:
                content[place % size] ^= 1 << rng.randrange(8)
            case 2 if size:
                content[place % size] = rng.choice((0, 10, 13, 34, 44, 58, 127, 128, 192, 237, 255))
            case 3:
                del content[place:]
            case 4:
                del content[place : place + length]
            case 5:
                content[place:place] = content[place : place + length] * rng.choice((1, 2, 50))
            case 6:
                content[place:place] = rng.randbytes(length or 1)
            case 7 if other:
                cut = rng.randrange(len(other) + 1)
                content[place:] = other[cut:]
            case 8:
                content[place:place] = rng.choice(NUMBERS + TEXTS).encode("utf-8", "surrogatepass")
            case 9 if size >= 8:  # a length or an offset, most likely
                at = rng.randrange(size - 7)
                width = rng.choice((1, 2, 4, 8))
                content[at : at + width] = rng.choice(
                    (0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1))
                ).to_bytes(width, "little")
            case _:
                content += rng.randbytes(rng.randrange(1, 9))
    return bytes(content)


def odd_json(rng: random.Random) -> Any:
    """Return something that may stand where another thing belongs."""
    return either(
        rng,
        3, None, 1, True, 1, False, 1, [], 1, {}, 1, "", 2, 0, 2, -1, 2, 1.5, 1, 1e400, 1, -1e400,
        1, 1e155,
        1, float("nan"), 1, 10**30, 1, 10**399, 1, 2**63, 2, lambda: rng.choice(TEXTS), 2,
        lambda: rng.choice(NUMBERS),
        1, [None], 1, [[[]]], 1, {"a": None}, 1, lambda: _deep(rng.choice((5, 300))), 1, ["x"] * 50,
    )  # fmt: skip


def _deep(depth: int) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found


def edited(rng: random.Random, document: Any) -> Any:
    """Return a copy of a JSON document with one to three of its places replaced, removed,
    doubled or swapped."""
    document = json.loads(json.dumps(document))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            return odd_json(rng)
        holder, key = rng.choice(places)
        match rng.randrange(8):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(rng.randrange(len(holder) + 1), holder[key])
            case 2 if isinstance(holder, dict):
                holder[rng.choice(TEXTS)] = holder.pop(key)
            case 3:
                other, place = rng.choice(places)
                holder[key] = json.loads(json.dumps(other[place]))
            case 4 if type(holder[key]) in (int, float) and abs(holder[key]) < 2**60:
                holder[key] += rng.choice((-1, 1, 0.5, 2**31, -(2**40)))
            case _:
                holder[key] = odd_json(rng)
    return document


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from _places(value[key])
    elif isinstance(value, list):
        for key in range(len(value)):
            yield value, key
            yield from _places(value[key])


def bent(rng: random.Random, document: Any) -> bytes:
    """Return a JSON document as bytes, edited, or written oddly, or damaged,
    or nothing of the kind.
    """
    text = json.dumps(edited(rng, document) if rng.random() < 0.85 else document)
    data = text.encode("utf-8", "surrogatepass")
    return either(
        rng,
        12, data,
        3, lambda: damaged(rng, data),
        1, b"", 1, b"null", 1, b"[]", 1, b"\xef\xbb\xbf" + data, 1,
        text.encode("utf-16", "surrogatepass"),
        1, b"[" * rng.choice((100, 1000, 100_000, 1_000_000)), 1, b'{"a":' * 100_000, 1,
        data + data, 1,
        b"\xff" + data,
        1, lambda: data.replace(b"{", b'{"schema": "ratingpriv.certificate/1", ', 1),
        1, lambda: data.replace(b"1", b"1" * 5000, 1), 1, lambda: data.replace(b"1", b"1e999", 1),
        1, lambda: data.replace(b"null", b"NaN", 1),
    )  # fmt: skip
