"""Options of ``ratingpriv ingest`` for data that are a release of a dataset in the store."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from typer import Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.values import input_file

if TYPE_CHECKING:
    from ratingpriv.graph.releases import ReleaseOf

__all__ = ["ReleaseOptions"]

_release = partial(Option, rich_help_panel="A release")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOptions:
    """Of which dataset the data are a release, if of any."""

    release_of: Annotated[
        str | None, _release(metavar="NAME", help="DATA is a release of this dataset, which is in the store.")
    ] = None
    release_run: Annotated[
        str | None, _release("--run", metavar="RUN", help="The release's name; it goes in as NAME/RUN.")
    ] = None
    release_key: Annotated[
        str | None,
        _release(
            "--key",
            metavar="KEYFILE",
            parser=input_file,
            help="The release's private key: links each record to its own.",
        ),
    ] = None

    def checked(
        self, dataset: str | None, edges: str, offline: str | None, pseudonymize: str | None
    ) -> ReleaseOf | None:
        """Check the options against each other and read the key; None where the data are no release.

        Raises
        ------
        ParameterError, DataError
            They do not fit together; the key is none.
        """
        from ratingpriv.base.keys import read_key
        from ratingpriv.graph.releases import ReleaseOf

        of, run, key = self.release_of, self.release_run, self.release_key
        if of is None:
            for name, value in (("run", run), ("key", key)):
                if value is not None:
                    raise ParameterError(name, value, f"--{name} together with --release-of")
            return None
        if run is None:
            raise ParameterError("run", None, "--run RUN, the release's name, with --release-of")
        if dataset is not None:
            raise ParameterError("dataset", dataset, f"no --dataset: a release goes in as {of}/{run}")
        if edges != "all":
            raise ParameterError("edges", edges, "all, where a release is compared with its original")
        if offline is not None:
            raise ParameterError("offline", offline, "no --release-of: its original is in a store")
        if key is not None and pseudonymize is not None:
            raise ParameterError("pseudonymize", pseudonymize, "no --key: it names records by their own ids")
        return ReleaseOf(of, run, None if key is None else read_key(key))
