"""The tree digest: one sha256 for the names, modes and bytes of a package."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_render.artifacts.package import Package


def tree_digest(package: Package) -> str:
    """`sha256:<hex>` over one line per file in byte order: `mode SP path NUL size NUL sha256(bytes) LF`."""
    digest = hashlib.sha256()
    for path, file in package.files.items():
        content = hashlib.sha256(file.data).hexdigest()
        digest.update(f"{file.mode:o} {path}\0{len(file.data)}\0{content}\n".encode())
    return f"sha256:{digest.hexdigest()}"
