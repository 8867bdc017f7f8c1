r"""A Cypher text taken apart as far as safety needs: its statements, its parameters,
and what it calls.

Texts in quotes, quoted names and comments are told apart from the rest, so that a ``;`` or a
``LOAD CSV`` in one of them is none. What could be read in two ways is refused: an escape for an
ASCII character (Neo4j 5 replaces ``\u0027`` by a quote before it looks for the end of a text), a
carriage return alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ratingpriv.base.errors import DataError, Problem

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<parameter>\$(?:`(?:[^`]|``)*`|\w+))
    |(?P<name>[^\W\d]\w*|`(?:[^`]|``)*`)
    |(?P<number>\d\w*)
    |(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
_OPENS = {"'": "a text in quotes", '"': "a text in quotes", "`": "a quoted name"}
_ASCII_ESCAPE = re.compile(r"\\(?:u+00|U000000)[0-7][0-9a-fA-F]")
_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a text.

    ``kind`` is ``name``, ``text``, ``parameter``, ``number`` or ``sign``; ``text`` is without the
    backticks of a quoted name and the dollar of a parameter; ``place`` counts characters from the
    beginning.
    """

    kind: str
    text: str
    place: int

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these words, in whatever case."""
        return self.kind == "name" and self.text.upper() in words


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a text: its tokens, and where it begins and ends, its ``;`` not included."""

    tokens: tuple[Token, ...]
    line: int
    text: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that it uses, in the order of their first use."""
        return tuple(
            dict.fromkeys(token.text for token in self.tokens if token.kind == "parameter")
        )

    @property
    def shape(self) -> str:
        """A character a token: a sign is itself, anything else a letter of ``_LETTERS``."""
        letters = (token.text if token.kind == "sign" else _letter(token) for token in self.tokens)
        return "".join(letters)

    @property
    def first(self) -> Token:
        """The first token behind options of the planner such as ``CYPHER 5 runtime=slotted``."""
        options = _OPTIONS.match(self.shape)
        return self.tokens[0 if options is None else min(options.end(), len(self.tokens) - 1)]

    @property
    def loads_files(self) -> bool:
        """Whether it reads a file or an address by itself."""
        return any(
            a.is_word("LOAD") and b.is_word("CSV") for a, b in itertools.pairwise(self.tokens)
        )

    def follows(self, kind: str) -> bool:
        """Whether it may follow relationships of this type: it names it,
        or takes any type in some place.
        """
        tokens, shape = self.tokens, self.shape
        if any(token.kind == "name" and token.text == kind for token in tokens):
            return True
        dashes = [match.start() for match in re.finditer(r"-(?=-)", shape)]
        if any(tokens[index + 1].place == tokens[index].place + 1 for index in dashes):
            return True
        return any(_TYPED.match(shape, tie.end()) is None for tie in re.finditer(r"-\[", shape))

    def reaches(self, kind: str) -> bool:
        """Whether relationships of this type may be in its hands: it follows them,
        or nobody can tell.

        A tie may be of two dashes apart, and of other dashes; a procedure may give relationships.
        """
        odd = "--" in self.shape or "~" in self.shape or not self.shape.isascii()
        return odd or bool(self.procedures) or self.follows(kind)

    @property
    def procedures(self) -> tuple[str, ...]:
        """The procedures that it calls, as written."""
        return tuple(name for called, name in self._calls() if called)

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions with a dot in their name that it calls, as written."""
        return tuple(name for called, name in self._calls() if not called and "." in name)

    def _calls(self) -> Iterator[tuple[bool, str]]:
        shape = self.shape
        for match in _DOTTED.finditer(shape):
            start, end = match.span("name")
            if match["call"] or shape.startswith("(", end):
                yield (
                    bool(match["call"]),
                    ".".join(token.text for token in self.tokens[start:end:2]),
                )


_LETTERS = {"name": "n", "text": "t", "parameter": "p", "number": "d"}
_WORDS = {"CALL": "c", "CYPHER": "o", "WHERE": "w"}
_NAME = "[ncow]"  # any of these words may be a name, too
_OPTIONS = re.compile(rf"o(?:d|{_NAME}=.|o)*")
_DOTTED = re.compile(rf"(?P<call>c)?(?P<name>{_NAME}(?:\.{_NAME})*)")
_TYPED = re.compile(r"[nco]?:[nco|:]*[]{*w]")
"""What stands behind ``-[`` where it names types one by one: a variable or none, and names."""


def _letter(token: Token) -> str:
    named = _LETTERS[token.kind]
    return _WORDS.get(token.text.upper(), named) if token.kind == "name" else named


def split(text: str, name: str) -> list[Statement]:
    """Return the statements of a text; ``name`` is what messages call it."""
    for pattern, problem, expected in (
        (_ASCII_ESCAPE, "an escape that stands for an ASCII character", "the character itself"),
        (_LONE_RETURN, "a carriage return without a line feed", "lines that end alike"),
        (re.compile("\0"), "a NUL", "a text without one"),
    ):
        if (match := pattern.search(text)) is not None:
            raise _problem(name, text, match.start(), problem, expected)
    statements: list[Statement] = []
    tokens: list[Token] = []
    begin = 0
    for token in _tokens(text, name):
        if token.kind == "sign" and token.text == ";":
            _add(statements, tokens, text, begin, token.place)
            tokens, begin = [], token.place + 1
        else:
            tokens.append(token)
    _add(statements, tokens, text, begin, len(text))
    return statements


def one_statement(text: str, name: str) -> Statement:
    """Return the only statement of a text."""
    statements = split(text, name)
    if not statements:
        raise DataError(Problem(name, "no statement", "one statement of Cypher"))
    if len(statements) > 1:
        remedy = "put each into a file of its own; ratingpriv query shell takes several"
        raise DataError(
            Problem(
                name,
                "a second statement",
                "one statement of Cypher",
                remedy,
                line=statements[1].line,
            )
        )
    return statements[0]


def unfinished(text: str) -> bool:
    """Whether a text waits for more: no ``;`` ends it, or it is inside quotes or a comment."""
    last = ";"
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "sign" and (
            match[0] in _OPENS or text.startswith("/*", match.start())
        ):
            return True
        if match.lastgroup != "blank":
            last = match[0]
    return last != ";"


def _tokens(text: str, name: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, content, position = str(match.lastgroup), match[0], match.start()
        if kind == "blank":
            continue
        if kind == "sign" and content == "\\":
            raise _problem(name, text, position, "a backslash outside of quotes", "Cypher")
        if kind == "sign" and (content in _OPENS or text.startswith("/*", position)):
            what = _OPENS.get(content, "a comment")
            raise _problem(name, text, position, f"{what} without its end", "its end")
        if kind == "parameter":
            content = content[1:]
        if content[0] == "`":
            content = content[1:-1].replace("``", "`")
        yield Token(kind, content, position)


def _add(statements: list[Statement], tokens: list[Token], text: str, begin: int, end: int) -> None:
    if tokens:
        line = text.count("\n", 0, tokens[0].place) + 1
        statements.append(Statement(tuple(tokens), line, text[begin:end]))


def _problem(name: str, text: str, place: int, found: str, expected: str) -> DataError:
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return DataError(Problem(name, found, expected, line=line, column=column))
