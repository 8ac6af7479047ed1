"""Clients of boto3 for S3: with bounds, and led nowhere by what a server answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.api.hub import S3Source
    from kagent_render.artifacts.deadline import Bounds

DEFAULT_REGION: Final = "us-east-1"
_ERROR_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class S3Settings:
    """What holds where a manifest names no endpoint or region."""

    endpoint: str | None = None
    region: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asked for, and how: the origin with its server, as far as there was a client."""

    origin: S3Source
    region: str | None = None
    signed: bool = True


def aws_endpoint(environment: Mapping[str, str]) -> str | None:
    """The endpoint that the variables of the AWS tools name for S3; None where they name none."""
    if environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true":
        return None
    return environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or None


def new_client(endpoint: str | None, region: str | None, bounds: Bounds) -> Any:
    """A client with the credentials that boto3 finds, unsigned where it finds none.

    Looking for credentials may run programs and ask the network, without a bound.
    """
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    session = boto3.session.Session()
    config = Config(
        connect_timeout=bounds.connect,
        read_timeout=bounds.read,
        retries={"total_max_attempts": 1},
        s3={
            "addressing_style": "path" if endpoint else "auto",
            "us_east_1_regional_endpoint": "regional",
        },
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    credentials = session.get_credentials()
    if credentials is None:
        config = config.merge(Config(signature_version=UNSIGNED))
    else:
        # Some are not looked for before they are used, and what is no text would fail in the midst of that.
        "".join(part for part in credentials.get_frozen_credentials() if part is not None)
    client: Any = session.client(
        "s3",
        endpoint_url=endpoint,
        region_name=region or session.region_name or DEFAULT_REGION,
        config=config,
    )
    client.meta.events.register_last("before-parameter-build.s3", _stay)
    send = client._endpoint.http_session.send  # no public name leads there
    client.meta.events.register_last("before-send.s3", partial(_sent, send))
    return client


def asked_of(client: Any, origin: S3Source) -> Asked:
    """What a client asks for an origin."""
    from botocore import UNSIGNED

    meta = client.meta
    signed = meta.config.signature_version is not UNSIGNED
    return Asked(replace(origin, endpoint=meta.endpoint_url), meta.region_name, signed)


def _stay(context: dict[str, Any], **_: object) -> None:
    """Have botocore take every request for one that it has already sent to another region once.

    Where an artifact is read from is the manifest's to say: the output names that host to its readers.
    """
    context.setdefault("s3_redirect", {})["redirected"] = True


def _sent(send: Callable[[Any], Any], request: Any, **_: object) -> Any:
    """The answer to a request; of an error's text, which botocore reads whole, as much as tells it."""
    from botocore.awsrequest import AWSResponse
    from urllib3 import HTTPResponse

    answer = send(request)
    if answer.status_code < 300:
        return answer
    text = answer.raw.read(_ERROR_BYTES)
    answer.raw.close()
    body = HTTPResponse(BytesIO(text), preload_content=False)
    return AWSResponse(answer.url, answer.status_code, answer.headers, body)
