"""From a source to checked UTF-8: decompression, decoding,
and what is wrong with the bytes by byte and line.

Everything that reads text asks this module for chunks of bytes that are valid UTF-8, hold no NUL
and carry no byte order mark; the file underneath may be plain, gz, zst or a zip with one member, in
any encoding.
"""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import lzma
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from ratingpriv.base.compute.resources import refuse_exhausted
from ratingpriv.base.errors import DataError, EncodingError, ParameterError, Problem
from ratingpriv.base.extras import arrow
from ratingpriv.data.formats.reading import Source

CHUNK = 8 << 20
"""Bytes requested at a time."""

LONGEST_LINE = 16 << 20
"""Bytes that a line may have: what goes on for longer without an end is no text of ratings."""

_OF_ZIP = (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError)  # a method, a member's name
_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, struct.error, *_OF_ZIP)
_KINDS = {b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
_TEXT = "text, one record or rating a line"
_BINARY = (
    (b"PAR1", "a Parquet file", "say `format='parquet'`, or leave `format` out"),
    (b"\xd0\xcf\x11\xe0", "an Excel or other Office file", "save it as CSV first"),
    (b"SQLite format 3\0", "an SQLite database", "export the table as CSV first"),
    (b"%PDF", "a PDF file", "export the table as CSV first"),
    (b"BZh", "a bzip2 file", "unpack it first, or pack it as gz, zst or zip"),
    (b"\xfd7zXZ\0", "an xz file", "unpack it first, or pack it as gz, zst or zip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file", "unpack it first, or pack it as gz, zst or zip"),
    (b"ARROW1", "an Arrow (Feather) file", "save it as Parquet or CSV first"),
)
_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\0")
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


_LETTER, _SIGN = "[äöüßéèêëàâçñáíóúîïôûœåæøãõÄÖÜÉÈÀÇÑÅØ]", "[‘’“”„–—…€]"
_WRITTEN = re.compile(  # a letter beside another, an apostrophe between two, a sign at a word's end
    f"(?<=[A-Za-z]){_LETTER}|{_LETTER}(?=[A-Za-z])|(?<=[A-Za-z])’(?=[A-Za-z])"
    f"|(?<![A-Za-z]){_SIGN}|{_SIGN}(?![A-Za-z])"
)
_ODD = re.compile("[ŠŒŽšœžŸƒ†‡ˆ˜‰‹›\ufffd]")  # what Windows has where a Mac has letters
_ENOUGH = 65_536

_CANDIDATES = {
    "cp1252": "Windows, Western Europe",
    "cp1250": "Windows, Central Europe",
    "cp1251": "Windows, Cyrillic",
    "mac_roman": "Excel on a Mac, Western Europe",
}
"""Encodings that are tried where a text is not UTF-8, and whose they are."""
_CENTRAL = re.compile(
    "(?<=[A-Za-zêæñóœŸ])[¹³¿](?!\\d)|[¹³¿£¯](?=[a-zêæñóœŸ])"
)  # what Windows has for ą, ł, ż
_HIGH, _CYRILLIC = re.compile(rb"[\x80-\xff]+"), re.compile(rb"[\xc0-\xff\xa8\xb8]{3,}")
_WORD_BEFORE, _WORD_BEHIND = (
    re.compile(rb"[A-Za-z\x80-\xff]*\Z"),
    re.compile(rb"[A-Za-z\x80-\xff]+"),
)
_NUMBER = re.compile(rb"(?:^|[,;\t| ])\s*\"?-?[0-9][0-9.,]*\"?\s*(?:[,;\t| ]|\r?$)")


def check_encoding(encoding: str | None) -> str:
    """Return the codec's own name (default utf-8).

    ParameterError if there is no such text encoding.
    """
    expected = "the name of a text encoding, such as utf-8, cp1252 or utf-16"
    try:
        codec = codecs.lookup(encoding or "utf-8")
        codecs.getincrementaldecoder(codec.name)
        "".encode(codec.name)
    except (LookupError, ValueError):  # ValueError: a NUL in the name, or half a surrogate pair
        raise ParameterError("encoding", encoding, expected) from None
    return codec.name


def head(source: Source, encoding: str | None, size: int = 65_536) -> bytes:
    """Return about the first ``size`` bytes of the text as UTF-8 (fewer
    where the text is shorter).
    """
    opening_bytes = b""
    for chunk, _ in chunks(source, encoding, size):
        opening_bytes += chunk
        if len(opening_bytes) >= size:
            break
    return opening_bytes


def chunks(
    source: Source, encoding: str | None = None, chunk: int = CHUNK
) -> Iterator[tuple[bytes, int]]:
    """Yield the text as UTF-8, piece by piece, each with the number of raw bytes read so far.

    Raises
    ------
    DataError
        A directory or a binary file; a broken or truncated compressed file; a zip of several files;
        NUL bytes; bytes that are not of the encoding.
    ParameterError
        There is no such encoding.
    ResourceError
        The memory of the machine is nearly used up.
    """
    codec = check_encoding(encoding)
    if source.is_dir:
        remedy = "name one file of it, or the `format` of the whole"
        raise DataError(Problem(source.name, "a directory", "a file", remedy))
    with source.open() as raw:
        for piece in _checked(source, codec, encoding, _pieces(source, raw, chunk)):
            refuse_exhausted(f"reading {source.name}")
            yield piece


def packed_beside(source: Source) -> Iterator[str]:
    """Yield what a packed file holds beside the text, in words: other members, comments, names."""
    if source.is_dir:
        return
    if source.head[:2] == b"\x1f\x8b" and source.head[3:4] != b"\0":
        yield "a name or a comment in the gz"
    elif source.head[:4] == b"PK\x03\x04" and not source.is_stream:
        with source.open() as raw:
            archive = zipfile.ZipFile(raw)
            if len(archive.infolist()) > 1:
                yield f"other members of the zip: {len(archive.infolist()) - 1}"
            if archive.comment or any(entry.comment for entry in archive.infolist()):
                yield "a comment in the zip"


def _pieces(source: Source, raw: IO[bytes], size: int) -> Iterator[tuple[bytes, int]]:
    """Yield decompressed bytes, each piece with the number of raw bytes read so far."""
    for magic, what, remedy in _BINARY:
        if source.head.startswith(magic):
            raise DataError(Problem(source.name, what, _TEXT, remedy))
    kind = next((kind for magic, kind in _KINDS.items() if source.head.startswith(magic)), None)
    if kind is None:
        while piece := raw.read(size):
            yield piece, raw.tell()
        return
    got = 0
    try:
        stream = _decompressed(source, raw, kind)
        while piece := stream.read(size):
            if not got and bytes(piece[:8]).startswith(_PACKED):
                finding = "a packed file inside a packed file"
                raise DataError(Problem(source.name, finding, _TEXT, "unpack the outer one first"))
            got += len(piece)
            yield bytes(piece), raw.tell()
    except _broken() as error:
        if isinstance(error, OSError) and error.errno:  # the disk's, not the file's
            raise
        # Python would quote the bytes that are no beginning of a gz file
        foreign = str(error).startswith("Not a gzipped file")
        reason = "what follows is no gz file" if foreign else str(error)
        finding = (
            f"a {kind} file that is cut short or damaged after {got:,} bytes of text ({reason})"
        )
        remedy = "copy or download it again"
        raise DataError(Problem(source.name, finding, f"a whole {kind} file", remedy)) from error


def _broken() -> tuple[type[Exception], ...]:
    """Return what a damaged file raises; Arrow's errors, too, where Arrow reads it."""
    arrow = sys.modules.get("pyarrow")
    return _BROKEN if arrow is None else (*_BROKEN, arrow.ArrowException)


def _decompressed(source: Source, raw: IO[bytes], kind: str) -> IO[bytes]:
    if kind == "gz":
        return io.BufferedReader(gzip.GzipFile(fileobj=raw, mode="rb"))
    if kind == "zst":
        pa = arrow("zst files")
        file = pa.PythonFile(raw, "r")
        return pa.CompressedInputStream(file, "zstd")  # type: ignore[no-any-return]
    archive = zipfile.ZipFile(raw)
    if "[Content_Types].xml" in archive.namelist():
        raise DataError(
            Problem(source.name, "an Excel or other Office file", _TEXT, "save it as CSV first")
        )
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    members = [
        entry for entry in entries if not re.search(r"^__MACOSX/|\.DS_Store", entry.filename)
    ]
    if len(members) != 1:
        names = ", ".join(entry.filename for entry in members[:5]) + (
            ", ..." if len(members) > 5 else ""
        )
        finding = f"a zip of {len(members)} files ({names})" if members else "a zip without a file"
        remedy = "unpack it and name the file to read"
        raise DataError(Problem(source.name, finding, "a zip with one file", remedy))
    if members[0].flag_bits & 1:
        raise DataError(
            Problem(source.name, "a zip with a password", "one without", "unpack it first")
        )
    # zipfile unpacks these at once
    if members[0].compress_type in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        finding = "a zip packed with LZMA or bzip2, which may become any size"
        raise DataError(Problem(source.name, finding, "a plain zip (deflate)", "unpack it first"))
    try:
        return archive.open(members[0])
    except ValueError as error:  # of a place before the file's first byte
        raise zipfile.BadZipFile(str(error)) from error
    except NotImplementedError as error:
        finding = f"a zip packed in an unusual way ({error})"
        raise DataError(Problem(source.name, finding, "a plain zip", "unpack it first")) from error


def _checked(
    source: Source, codec: str, given: str | None, pieces: Iterator[tuple[bytes, int]]
) -> Iterator[tuple[bytes, int]]:
    """Turn pieces of raw text into pieces of UTF-8 without NUL and byte order mark."""
    codec = codec.removesuffix("-sig")
    decoder = codecs.getincrementaldecoder(codec)("strict")
    offset, line, first, read = 0, 1, True, 0
    # at the end: what is left has to be whole
    for piece, done in itertools.chain(pieces, ((b"", 0),)):
        read = max(read, done)
        if first and given is None:
            for bom, name in _BOMS:
                if piece.startswith(bom):
                    finding = f"{name} text (by its byte order mark)"
                    remedy = f"say `encoding={name!r}`"
                    problem = Problem(source.name, finding, "utf-8 text", remedy, line=1)
                    raise EncodingError(problem, [(name, "by its byte order mark", "")])
        pending = len(decoder.getstate()[0])
        try:
            if codec == "utf-8" and not pending and piece.isascii():
                good = piece
            else:
                text = decoder.decode(piece, final=not piece)
                good = (text.removeprefix("\ufeff") if first else text).encode("utf-8")
        except UnicodeDecodeError as error:
            raise _not_encoded(source, codec, error, offset - pending, line) from error
        except UnicodeError as error:  # half a surrogate pair (UTF-7), no byte order mark
            finding = f"bytes that {codec} does not turn into text"
            remedy = "name the file's encoding with `encoding`"
            raise DataError(
                Problem(source.name, finding, f"{codec} text", remedy, line=line)
            ) from error
        offset += len(piece)
        first = first and not good
        if b"\0" in good:
            at = good.index(b"\0")
            where = line + good.count(b"\n", 0, at)
            remedy = "if it is UTF-16 text, say `encoding='utf-16'`; else it is not a text file"
            raise DataError(Problem(source.name, "a NUL byte (0x00)", "text", remedy, line=where))
        line += good.count(b"\n")
        if good:
            yield good, read


def _not_encoded(
    source: Source, codec: str, error: UnicodeDecodeError, offset: int, line: int
) -> EncodingError:
    """Explain a byte that the encoding does not have; ``error.object`` starts at ``offset``,
    in ``line``.
    """
    before = error.object[: error.start]
    where = line + (
        before.count(b"\n") if codec == "utf-8" else before.decode(codec, "ignore").count("\n")
    )
    byte = f"byte 0x{error.object[error.start]:02x} at offset {offset + error.start:,}"
    remedy, here = "name the file's encoding with `encoding`", None
    fitting: list[tuple[str, str, str]] = []
    if codec == "utf-8":
        start = before.rfind(b"\n") + 1
        around = error.object[start : error.start + 12].split(b"\n")[0]
        likely = _likely(error.object[max(0, error.start - 1) : error.start + _ENOUGH])
        others = [name for name in _CANDIDATES if name != likely]
        header = where == 1 and offset == 0 and _is_of_names(error.object)
        words = {
            name: _word(error.object, error.start, name) if header else "" for name in _CANDIDATES
        }
        fitting = [
            (name, _CANDIDATES[name], word)
            for name in (likely, *others)
            if (word := words[name]) is not None
        ]
        shown = [
            f"`encoding={name!r}` ({whose}{f', {word!r}' if word else ''})"
            for name, whose, word in fitting
        ]
        remedy += ": " + ", ".join(shown)
        here = around[-24:].decode(likely, "replace").strip()
    actual, expected = f"{byte}, which is not {codec} text", f"{codec} text"
    return EncodingError(
        Problem(source.name, actual, expected, remedy, line=where, cell=here), fitting
    )


def _is_of_names(text: bytes) -> bool:
    """Whether a first line is a header, whose words are nobody's: it has no number,
    the second line has.
    """
    first, _, rest = text[:_ENOUGH].partition(b"\n")
    return _NUMBER.search(first) is None and _NUMBER.search(rest.partition(b"\n")[0]) is not None


def _word(text: bytes, at: int, encoding: str) -> str | None:
    """Return the word around a byte as an encoding has it; None: that has no such byte."""
    before = _WORD_BEFORE.search(text, max(0, at - 30), at)
    behind = _WORD_BEHIND.match(text, at, at + 30)
    word = (before[0] if before else b"") + (behind[0] if behind else b"")
    try:
        return word.decode(encoding)
    except UnicodeDecodeError:
        return None


def _likely(data: bytes) -> str:
    """Return the encoding of which bytes beyond ASCII are most often letters where they stand."""
    if len(_CYRILLIC.findall(data)) * 2 > len(_HIGH.findall(data)):
        return "cp1251"
    windows, mac = data.decode("cp1252", "replace"), data.decode("mac_roman")
    if _CENTRAL.search(windows) is not None:
        return "cp1250"
    more = len(_WRITTEN.findall(mac)) - len(_WRITTEN.findall(windows))
    odd = _ODD.search(_WRITTEN.sub("", windows)) is not None
    return "mac_roman" if more > 0 or (more == 0 and odd) else "cp1252"
