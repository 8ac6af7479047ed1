"""Everything an archive is refused for: the catalogue is the specification of what is accepted."""

from __future__ import annotations

from enum import Enum
from typing import Final

from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.diagnostics.reasons import Reason

_TOO_LARGE: Final = Reason.ARTIFACT_TOO_LARGE


class Refusal(Enum):
    """One shape that is never accepted; the text completes `entry NAME ...` or `the archive ...`."""

    text: str
    reason: Reason

    def __init__(self, text: str, reason: Reason = Reason.ARTIFACT_UNSAFE) -> None:
        self.text = text
        self.reason = reason

    # Names
    EMPTY_NAME = "has an empty name or an empty path segment"
    ABSOLUTE = "has an absolute path"
    DOT_SEGMENT = "has a `.` or `..` path segment"
    BACKSLASH = "has a backslash in its name"
    DRIVE = "has a drive letter in its name"
    CONTROL_CHARACTER = "has a control character in its name"
    NOT_UTF8 = "has a name that is not UTF-8"
    OVERLONG = "has a path over 1,024 bytes or a path segment over 255 bytes"
    GIT_DIRECTORY = "has a path segment that a file system reads as `.git`"
    DUPLICATE = "is in the archive twice"
    SAME_WHEN_FOLDED = "differs from another entry in case or Unicode normalization only"
    FILE_AND_DIRECTORY = "is a file and a directory at once"
    # Kinds
    DEVICE = "is a device, a pipe or a socket"
    SPARSE = "is a sparse file"
    UNSUPPORTED_KIND = "is of a kind that is not a file, a directory or a link"
    NOT_EMPTY = "is a directory or a link that claims content"
    # Links
    LINK_OUT = "is a link that leaves the archive"
    LINK_DANGLING = "is a link to something that is not in the archive"
    LINK_CYCLE = "is a link that never ends or leads into itself"
    HARD_LINK = "is a hard link to something that is not an earlier file of the archive"
    # Sizes
    TOO_MANY_ENTRIES = "holds more than 10,000 entries", _TOO_LARGE
    TOO_LARGE = "holds more than 100 MiB", _TOO_LARGE
    ARCHIVE_TOO_LARGE = "is itself larger than 128 MiB", _TOO_LARGE
    TOO_MANY_FRAMES = "is compressed in more than 20,000 parts", _TOO_LARGE
    WINDOW = "asks for more than 128 MiB of memory to be decompressed", _TOO_LARGE
    RATIO = "expands to more than 200 times its size", _TOO_LARGE
    # Form
    UNKNOWN_FORMAT = "is not named .zip, .tar, .tar.gz, .tgz, .tar.zst or .tzst"
    FORMAT_MISMATCH = "is not of the format that its name or media type says"
    TRUNCATED = "is truncated"
    TRAILING_DATA = "has data after its end"
    BAD_HEADER = "has a malformed header"
    BAD_CHECKSUM = "has a checksum that does not match"
    BAD_COMPRESSION = "has compressed data that is damaged or not of the declared size"
    DICTIONARY = "needs a dictionary to be decompressed"
    BAD_EXTENSION = "has an extension header that is malformed or contradicts another one"
    # Layers only
    WHITEOUT = "is named as a whiteout is and is not an empty file that removes one name"
    BELOW_FILE = "lies below what a lower layer has as a file or a link"
    # Zip only
    ENCRYPTED = "is encrypted"
    COMPRESSION = "uses a compression that is neither stored nor deflated"
    ZIP_FEATURE = "uses a zip feature that is not supported"
    SPANNED = "is one part of an archive in several files"
    HEADERS_DISAGREE = "has a local header or data descriptor that differs from the central directory"
    LAYOUT = "has gaps, overlaps or hidden data between its entries"
    ZIP64 = "has ZIP64 fields that are malformed or contradict the plain ones"


class ArchiveRefused(ArtifactFailure):
    """The archive has a shape of the catalogue; `entry` is None where it is at fault as a whole.

    `whole` is what a message calls the archive.
    """

    def __init__(self, refusal: Refusal, entry: str | None = None, whole: str = "the archive") -> None:
        subject = whole if entry is None else f"entry `{printable(entry)}` of {whole}"
        super().__init__(refusal.reason, f"{subject} {refusal.text}", hint=_hint(refusal))
        self.refusal = refusal
        self.entry = entry

    def of(self, source: str) -> ArtifactFailure:
        """The same refusal as a failure of `source`, which names where the archive came from."""
        return ArtifactFailure(self.reason, f"{source}: {self.message}", self.hint)


def _hint(refusal: Refusal) -> str:
    if refusal is Refusal.WINDOW:
        return "compress it with a window of at most 128 MiB, as `zstd --long=27` does"
    if refusal.reason is Reason.ARTIFACT_TOO_LARGE:
        return "publish a smaller archive that holds only the plugin or skill"
    if refusal in {Refusal.UNKNOWN_FORMAT, Refusal.FORMAT_MISMATCH}:
        return "publish the content as .zip, .tar, .tar.gz or .tar.zst under a name that says which"
    return "publish the archive again from a clean directory with regular files and links that stay inside"
