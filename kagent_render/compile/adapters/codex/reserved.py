"""Environment names from which Codex takes what only a template may say."""

from __future__ import annotations

PREFIXES = ("AWS_ENDPOINT_URL", "CODEX_", "LD_", "OPENAI_")
NAMES = frozenset({"AWS_CONFIG_FILE", "AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "HOME", "PATH"})
OPEN = frozenset({"OPENAI_API_KEY", "OPENAI_ORGANIZATION"})
"""What a Harness may set, with the warning that tells so where a ModelConfig sets it, too."""


def reserves(name: str) -> bool:
    """Whether a variable decides on the program, its files, its login or its endpoint."""
    return name not in OPEN and (name in NAMES or name.startswith(PREFIXES))
