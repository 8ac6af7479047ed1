"""RenderConfig's part in compilation: the values that are the same for every pair of a root."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Policy:
    """What a boundary takes from RenderConfig; None where it is not set and has no default."""

    target: str
    controller_name: str = "kagent-controller"
    controller_namespace: str = "kagent"
    tools_url: str = "https://kagent-apply.kagent:8085"
    worker_pool: str | None = None
    snapshot_location: str | None = None
    pause_image: str | None = None
    images: Mapping[str, str] = field(default_factory=dict)
    s3_endpoint: str | None = None
    s3_region: str | None = None
    insecure_registries: tuple[str, ...] = ()

    @property
    def controller_host(self) -> str:
        """The controller's service name."""
        return f"{self.controller_name}.{self.controller_namespace}"

    @property
    def controller_url(self) -> str:
        """The controller's HTTP API (facts 4.1)."""
        return f"http://{self.controller_host}:8083"

    @property
    def controller_grpc(self) -> str:
        """The controller's gRPC address (facts 4.1)."""
        return f"{self.controller_host}:8084"
