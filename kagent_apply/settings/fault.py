"""What is wrong with what the server was told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettingFault:
    """One sentence that says where the setting came from, and what to do; neither shows a value."""

    message: str
    hint: str


class SettingsError(Exception):
    """Settings that no server can start with: all of their faults."""

    def __init__(self, faults: tuple[SettingFault, ...]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = faults
