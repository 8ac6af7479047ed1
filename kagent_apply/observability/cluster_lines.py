"""How each kind of event of the cluster part is logged; docs/cluster.md lists the kinds."""

from __future__ import annotations

import logging
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

CLUSTER_LINES: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {
        "synced": (logging.INFO, "a resource of the cluster is watched"),
        "absent": (logging.INFO, "the cluster does not have a resource"),
        "watch-failed": (logging.WARNING, "a resource of the cluster cannot be watched"),
        "status-written": (logging.DEBUG, "a status was written"),
        "status-left": (logging.INFO, "a part of a status is another's, and was left alone"),
        "status-refused": (logging.WARNING, "the API server did not take a status"),
        "template-deleted": (logging.INFO, "an ActorTemplate was deleted"),
        "template-kept": (logging.INFO, "an ActorTemplate was not deleted after all"),
        "deletion-held": (logging.WARNING, "no ActorTemplate is deleted for now"),
        "leading": (logging.INFO, "this replica writes to the cluster"),
        "following": (logging.INFO, "another replica writes to the cluster"),
        "failed": (logging.WARNING, "a round with the cluster did not come to its end"),
    }
)
"""The level and the sentence of each kind."""
