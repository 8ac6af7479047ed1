"""What the bearer of a share may do."""

from __future__ import annotations

import pytest

from kagent_apply.auth.sharing import SharedAction, share_permits
from kagent_apply.instances.states import Permission


@pytest.mark.parametrize(
    ("action", "read_only"),
    [
        (SharedAction.GET, True),
        (SharedAction.LIST, True),
        (SharedAction.SUBSCRIBE, True),
        (SharedAction.SEND, False),
        (SharedAction.CANCEL, False),
    ],
)
def test_reading_never_writes_and_writing_reads_as_well(action: SharedAction, read_only: bool) -> None:
    assert share_permits(Permission.READ_ONLY, action) is read_only
    assert share_permits(Permission.READ_WRITE, action)
