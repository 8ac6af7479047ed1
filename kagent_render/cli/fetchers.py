"""The transports of artifacts as RenderConfig sets them up; each is imported when it is needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kagent_render.api.hub import GitSource, OciSource, S3Source

if TYPE_CHECKING:
    from kagent_render.api.hub import Origin
    from kagent_render.artifacts.port import Fetcher
    from kagent_render.source.config import RenderConfig


class Fetchers(dict[type["Origin"], "Fetcher"]):
    """A fetcher for each kind of origin, made when it is first asked for."""

    def __init__(self, config: RenderConfig) -> None:
        super().__init__()
        self._config = config

    def __missing__(self, kind: type[Origin]) -> Fetcher:
        self[kind] = fetcher = _MAKERS[kind](self._config)
        return fetcher


def _oci_fetcher(config: RenderConfig) -> Fetcher:
    from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings

    return OciFetcher(OciSettings(config.oci.platform, config.oci.mirrors, config.oci.insecure))


def _git_fetcher(_: RenderConfig) -> Fetcher:
    from kagent_render.artifacts.git.fetcher import GitFetcher

    return GitFetcher()


def _s3_fetcher(config: RenderConfig) -> Fetcher:
    from kagent_render.artifacts.s3.client import S3Settings, aws_endpoint
    from kagent_render.artifacts.s3.fetcher import S3Fetcher

    return S3Fetcher(S3Settings(config.s3.endpoint or aws_endpoint(os.environ), config.s3.region))


_MAKERS = {OciSource: _oci_fetcher, GitSource: _git_fetcher, S3Source: _s3_fetcher}
