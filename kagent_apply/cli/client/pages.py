"""Lists, read page by page into one reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.api.v1alpha1.common_pb2 import PageRequest
from kagent_apply.cli.failure import RefusedFailure

if TYPE_CHECKING:
    Ask = Callable[[PageRequest], Any]

_PAGE: Final = 100


def read_pages(ask: Ask, items: str, limit: int) -> Any:
    """Every page that `ask` gives, as one reply; with `limit`, at most so many of its `items`.

    Where there are more, the reply still has the token of the next page.
    """
    whole = ask(PageRequest(limit=_next(limit, 0)))
    seen = set()
    while (token := whole.page.next_page_token) and (not limit or len(getattr(whole, items)) < limit):
        if token in seen:
            raise RefusedFailure("the server gives the same page again and again", "report this")
        seen.add(token)
        page = ask(PageRequest(limit=_next(limit, len(getattr(whole, items))), page_token=token))
        whole.page.CopyFrom(page.page)
        getattr(whole, items).extend(getattr(page, items))
    return whole


def _next(limit: int, have: int) -> int:
    return min(_PAGE, limit - have) if limit else _PAGE
