"""What a page says, before anything is laid out: a headline, what it means, and sections."""

from __future__ import annotations

from dataclasses import dataclass, replace


class Detail(str):
    """A sentence that a terminal shows on request alone."""

    __slots__ = ()
    detail = True


@dataclass(frozen=True, slots=True)
class Command:
    """A command line to be pasted into a shell: never broken, whatever the width;
    whether it is a detail.
    """

    line: str
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Cells under column titles.

    Attributes
    ----------
    columns : the titles
    rows : the cells, a tuple a row, each as long as ``columns``
    right : for each column whether it is flushed right, as numbers are
    detail : whether a terminal shows it on request alone
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A title and what stands under it, in order; a str is a sentence, an item of a list.

    A sentence need neither begin with a capital nor end with a full stop: renderers see to that.
    """

    title: str
    items: tuple[str | Command | Table, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says.

    Its texts may hold anything that the data hold: making it safe is the renderer's.

    Attributes
    ----------
    headline : one line, however long: a verdict that is cut in two is misread, by people and by
        grep
    explanation : what it means, a paragraph each
    sections : one without items is left out
    good : whether the headline is good news; None if it is no verdict
    """

    headline: str
    explanation: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    good: bool | None = None

    @property
    def brief(self) -> Page:
        """The page without its details."""
        sections = tuple(
            Section(section.title, _without_details(section.items)) for section in self.sections
        )
        return replace(self, explanation=_without_details(self.explanation), sections=sections)


def _without_details[T: str | Command | Table](items: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(item for item in items if not getattr(item, "detail", False))
