"""What a failed S3 request means for the person who asked for the artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import S3Source

_TRANSIENT_CODES: Final = frozenset({"SlowDown", "RequestTimeout", "Throttling", "ThrottlingException"})
_NOT_FOUND: Final = {
    "NoSuchVersion": "the object has no such version",
    "NoSuchKey": "the bucket has no such key",
    "NoSuchBucket": "there is no such bucket",
    "InvalidArgument": "the server takes this for no version at all",
    "MethodNotAllowed": "the version is a delete marker",
}
_NOT_FOUND_STATUS: Final = frozenset({404, 405, 410})
_CREDENTIALS_HINT: Final = (
    "check the AWS credentials of this environment or profile, and that they may `s3:GetObjectVersion`"
)


def is_transient(error: Exception) -> bool:
    """Whether the same request may well succeed a moment later."""
    from botocore import exceptions
    from urllib3.exceptions import HTTPError

    if isinstance(error, exceptions.ClientError):
        return _status(error) >= 500 or _code(error) in _TRANSIENT_CODES
    if isinstance(error, (exceptions.SSLError, exceptions.ProxyConnectionError)):
        return False
    return isinstance(
        error, (exceptions.HTTPClientError, exceptions.IncompleteReadError, HTTPError, ConnectionError)
    )


def s3_failure(error: Exception, origin: S3Source) -> ArtifactFailure | None:
    """The failure that an exception of boto3 stands for; None for one that is a bug of ours."""
    from botocore import exceptions
    from urllib3.exceptions import HTTPError

    if isinstance(error, exceptions.ClientError):
        return _refused(error, origin)
    if isinstance(error, exceptions.IncompleteReadError):
        return _failed(origin, "the server sent fewer bytes than it announced", None)
    if isinstance(error, exceptions.SSLError):
        return _failed(origin, "the server's certificate is not trusted", "set `AWS_CA_BUNDLE` to its CA")
    if isinstance(error, (exceptions.ConnectTimeoutError, exceptions.ReadTimeoutError)):
        return unanswered(origin)
    if isinstance(error, (exceptions.HTTPClientError, HTTPError, ConnectionError)):
        return _failed(origin, "the connection failed", "check `endpoint` and the network")
    if isinstance(error, (exceptions.BotoCoreError, ValueError)):
        what = f"the request could not be made (`{type(error).__name__}`)"
        return _failed(origin, what, _CREDENTIALS_HINT)
    return None


def unanswered(origin: S3Source) -> ArtifactFailure:
    """The failure of a server that did not answer in time."""
    return _failed(origin, "the server did not answer in time", "check `endpoint` and the network")


def _refused(error: object, origin: S3Source) -> ArtifactFailure:
    status, code = _status(error), _code(error)
    if code in _NOT_FOUND or status in _NOT_FOUND_STATUS:
        why = _NOT_FOUND.get("MethodNotAllowed" if _is_marker(error) else code, "the server does not have it")
        return ArtifactFailure(
            Reason.ARTIFACT_NOT_FOUND,
            f"{origin_text(origin)} cannot be found: {why}",
            hint="check `bucket`, `key`, `versionId` and `endpoint`",
        )
    if status in {401, 403}:
        return _failed(origin, f"access was denied (`{printable(code)}`)", _CREDENTIALS_HINT)
    if status in {301, 307} or code in {"PermanentRedirect", "AuthorizationHeaderMalformed"}:
        return _failed(origin, "the bucket is in another region", "set `region` to the bucket's region")
    return _failed(origin, f"the server answered {status} (`{printable(code)}`)", None)


def _failed(origin: S3Source, what: str, hint: str | None) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.ARTIFACT_FETCH_FAILED, f"{origin_text(origin)} could not be fetched: {what}", hint
    )


def _is_marker(error: object) -> bool:
    response = getattr(error, "response", {})
    headers = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return bool(headers.get("x-amz-delete-marker") == "true")


def _status(error: object) -> int:
    response = getattr(error, "response", {})
    return int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _code(error: object) -> str:
    response = getattr(error, "response", {})
    return str(response.get("Error", {}).get("Code", ""))[:40]
