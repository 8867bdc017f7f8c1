"""The picture of a result: one pair of options for every command that has one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.values import SETTINGS, declaring, output_file
from ratingpriv.cli.output.reporter import Reporter

__all__ = ["PictureOptions"]

_option, _setting = declaring(), declaring(SETTINGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """Where the result is drawn to, and which of its pictures."""

    plot: Annotated[
        str | None, _option("--plot FILE", "Draw the result: .svg, .png or .pdf.", parser=output_file)
    ] = None
    plot_kind: Annotated[
        str | None,
        _setting(
            "--plot-kind NAME",
            "Which picture (docs/pictures.md); else that of what was asked for most particularly.",
        ),
    ] = None

    def check(self, schema: str, *, force: bool, absent: Mapping[str, str] | None = None) -> None:
        """Refuse, before a long read, what could not be drawn in the end.

        ``absent`` : kinds that this command line gives no picture of, and what would
        """
        if self.plot is None:
            if self.plot_kind is not None:
                raise ParameterError("plot-kind", self.plot_kind, "a --plot FILE to draw to")
            return
        from ratingpriv.report.pictures import PICTURES
        from ratingpriv.report.pictures.canvas import check_picture

        check_picture(self.plot, force=force)
        kind, lacking = self.plot_kind, dict(absent or {})
        if kind is not None and kind not in PICTURES[schema]:
            raise ParameterError("plot-kind", kind, f"one of {', '.join(PICTURES[schema])}")
        if kind in lacking:
            raise ParameterError("plot-kind", kind, f"{lacking[kind]} beside it")

    def draw(self, content: Mapping[str, Any], reporter: Reporter, *, force: bool) -> None:
        """Draw the result, given as its JSON, if there is a file to draw it to."""
        if self.plot is None:
            return
        from ratingpriv.report.pictures import write_picture

        try:
            write_picture(content, self.plot, kind=self.plot_kind, force=force)
        except ParameterError as error:
            if error.name != "kind":
                raise
            raise ParameterError("plot-kind", error.found, error.expected, error.remedy) from error
        reporter.wrote(self.plot)
