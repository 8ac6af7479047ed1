"""Our own words for what the YAML parser cannot read; its messages and the text are never repeated."""

from __future__ import annotations

from typing import Final

_PROBLEMS: Final = (
    ("block sequence entries", "a list item is not allowed here", "start the list on a line of its own"),
    ("mapping values", "a second `:` is not allowed here", "quote text that holds `: `"),
    ("mapping keys", "a mapping key is not allowed here", "start the mapping on a line of its own"),
    ("unexpected ':'", "a `:` inside `[]` or `{}` has no space after it", "write a space, or quote the text"),
    ("could not find expected ':'", "a key lacks its `:`", "check the indentation, or quote the text"),
    (
        "cannot start any token",
        "a value starts with a character that has to be quoted",
        "quote the value; indent with spaces",
    ),
    (
        "did not find expected key",
        "a mapping's entry is indented unlike the others, or lacks its `:`",
        "align the keys",
    ),
    ("did not find expected '-'", "a list's item is indented unlike the others", "align the dashes"),
    ("',' or ']'", "a `[` list lacks a `,` or its `]`", "close the list"),
    ("',' or '}'", "a `{` mapping lacks a `,` or its `}`", "close the mapping"),
    ("unexpected end of stream", "a quoted text has no end", "close the quotes"),
    (
        "unexpected document indicator",
        "a quoted text has no end before the next document",
        "close the quotes",
    ),
    ("escape", "a `\\` escape in double quotes is not one of YAML's", "write `\\\\` for a backslash"),
    ("hexdecimal", "a `\\` escape in double quotes lacks its hex digits", "write `\\\\` for a backslash"),
    ("tab character", "a tab is used for indentation", "indent with spaces"),
    ("undefined tag handle", "a tag's `!handle!` is not declared", "remove the tag, or quote the text"),
    ("whitespace or line break", "a `!` tag or `%` directive is malformed", "quote the text"),
    ("tag", "a `!` tag is malformed", "remove the tag, or quote the text"),
    (
        "alphabetic or numeric",
        "a `&` anchor or `*` alias has a malformed name",
        "quote text that starts with `&` or `*`",
    ),
    ("indentation indicator", "a block text's indentation indicator is out of range", "use 1 to 9"),
    (
        "comment or line break",
        "a block text's header holds more than its indicators",
        "start the text on the next line",
    ),
    ("document start", "text follows the end of the document", "separate documents with `---`"),
    ("incompatible", "the document asks for another YAML version than 1.1", "remove the `%YAML` directive"),
    ("directive", "a `%` directive is malformed", "quote text that starts with `%`"),
    ("node content", "a value or a closing bracket is missing", "write it, or quote the text"),
    ("depth", "collections are nested too deep", None),
    (
        "control characters",
        "control characters are not allowed",
        "write the character as an escape in double quotes",
    ),
)

_SEEN_LATE: Final = (
    "could not find expected ':'",
    "unexpected end of stream",
    "unexpected document indicator",
)


def describe(problem: str | None) -> tuple[str, str | None]:
    """Message and hint for a problem that libyaml names."""
    for words, message, hint in _PROBLEMS:
        if problem and words in problem:
            return message, hint
    return "the text is not YAML", None


def is_seen_late(problem: str | None) -> bool:
    """Whether libyaml sees a problem only behind what is at fault, which begins at the context."""
    return problem is not None and any(words in problem for words in _SEEN_LATE)
