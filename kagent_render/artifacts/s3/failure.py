"""What a failed S3 request means for the person who asked for the artifact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import S3Source
    from kagent_render.artifacts.s3.client import Asked

_TRANSIENT_CODES: Final = frozenset({"SlowDown", "RequestTimeout", "Throttling", "ThrottlingException"})
_NOT_FOUND: Final = {
    "NoSuchVersion": "the object has no such version",
    "NoSuchKey": "the bucket has no such key",
    "NoSuchBucket": "there is no such bucket",
    "InvalidArgument": "the server takes this for no version at all",
    "MethodNotAllowed": "the version is a delete marker",
}
_CREDENTIAL_CODES: Final = frozenset({"ExpiredToken", "InvalidToken", "TokenRefreshRequired"})
_REGION_CODES: Final = frozenset({"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed"})
_REGION: Final = re.compile(r"[a-z0-9-]{1,63}")
_NOT_FOUND_STATUS: Final = frozenset({404, 405, 410})
_CREDENTIALS_HINT: Final = (
    "check the AWS credentials of this environment or profile, and that they may `s3:GetObjectVersion`"
)
_SETTINGS_HINT: Final = (
    "check `endpoint`, and the AWS credentials and settings of this environment or profile"
)


def is_transient(error: Exception) -> bool:
    """Whether the same request may well succeed a moment later."""
    from botocore import exceptions
    from urllib3.exceptions import HTTPError

    if isinstance(error, exceptions.ClientError):
        return _status(error) == 429 or _status(error) >= 500 or _code(error) in _TRANSIENT_CODES
    if isinstance(error, (exceptions.SSLError, exceptions.ProxyConnectionError)):
        return False
    broken_off = exceptions.HTTPClientError, exceptions.ConnectionError, exceptions.IncompleteReadError
    return isinstance(error, (*broken_off, HTTPError, ConnectionError))


def s3_failure(error: Exception, asked: Asked) -> ArtifactFailure | None:
    """The failure that an exception of boto3 stands for; None for a bug of ours."""
    from botocore import exceptions
    from urllib3.exceptions import HTTPError

    origin = asked.origin
    if isinstance(error, exceptions.ClientError):
        return _refused(error, asked)
    if isinstance(error, exceptions.IncompleteReadError):
        return _failed(origin, "the server sent fewer bytes than it announced", None)
    if isinstance(error, exceptions.SSLError):
        return _unencrypted(error, origin)
    if isinstance(error, exceptions.ProxyConnectionError):
        hint = "check `http_proxy`, `https_proxy` and `no_proxy`"
        return _failed(origin, "the proxy could not be used", hint)
    if isinstance(error, (exceptions.ConnectTimeoutError, exceptions.ReadTimeoutError)):
        return unanswered(origin)
    if isinstance(
        error, (exceptions.HTTPClientError, exceptions.ConnectionError, HTTPError, ConnectionError)
    ):
        return _failed(origin, "the connection failed", "check `endpoint` and the network")
    if isinstance(error, (exceptions.BotoCoreError, OSError, ValueError)):
        return unmade(error, origin)
    return None


def unmade(error: Exception, origin: S3Source) -> ArtifactFailure:
    """The failure of a request that is not made; the exception's text may hold secrets, its name does not."""
    from botocore.exceptions import SSOError, TokenRetrievalError

    login = isinstance(error, (SSOError, TokenRetrievalError))
    hint = "log in again with `aws sso login`" if login else _SETTINGS_HINT
    return _failed(origin, f"the request could not be made (`{type(error).__name__}`)", hint)


def unanswered(origin: S3Source) -> ArtifactFailure:
    """The failure of a server that did not answer in time."""
    return _failed(origin, "the server did not answer in time", "check `endpoint` and the network")


def without_credentials(origin: S3Source) -> ArtifactFailure:
    """The failure of a search for credentials that does not end."""
    return _failed(origin, "AWS credentials were not found in time", _CREDENTIALS_HINT)


def _unencrypted(error: Exception, origin: S3Source) -> ArtifactFailure:
    from ssl import SSLCertVerificationError

    causes = getattr(getattr(error, "kwargs", {}).get("error"), "args", ())
    if any(isinstance(cause, SSLCertVerificationError) for cause in causes):
        return _failed(origin, "the server's certificate is not trusted", "set `AWS_CA_BUNDLE` to its CA")
    hint = "check that the server speaks TLS at `endpoint`"
    return _failed(origin, "no encrypted connection could be made", hint)


def _refused(error: object, asked: Asked) -> ArtifactFailure:
    origin, status, code = asked.origin, _status(error), _code(error)
    told = f" (`{printable(code)}`)" if code else ""
    elsewhere = _elsewhere(error, asked)
    if elsewhere is not None:
        return elsewhere
    if code in _NOT_FOUND or status in _NOT_FOUND_STATUS:
        why = _NOT_FOUND.get("MethodNotAllowed" if _is_marker(error) else code, "the server does not have it")
        return ArtifactFailure(
            Reason.ARTIFACT_NOT_FOUND,
            f"{origin_text(origin)} cannot be found: {why}",
            hint="check `bucket`, `key`, `versionId` and `endpoint`",
        )
    if status in {401, 403} or code in _CREDENTIAL_CODES:
        unsigned = "" if asked.signed else ", and no AWS credentials were found"
        return _failed(origin, f"access was denied{told}{unsigned}", _CREDENTIALS_HINT)
    return _failed(origin, f"the server answered {status}{told}", None)


def _elsewhere(error: object, asked: Asked) -> ArtifactFailure | None:
    """The failure of an object that another region or server has, which is never asked unbidden."""
    status, told = _status(error), _told_region(error)
    if _code(error) in _REGION_CODES or (status in {301, 307, 400} and told not in {None, asked.region}):
        hint = f"set `region` to `{told}`" if told else "set `region` to the bucket's region"
        return _failed(asked.origin, "the bucket is in another region", hint)
    if 300 <= status < 400:
        what = "the server redirects to another address, which is not followed"
        return _failed(asked.origin, what, "set `endpoint` to the server that has the bucket")
    return None


def _told_region(error: object) -> str | None:
    """The bucket's region as an answer tells it; None where it tells none or nonsense."""
    told = _headers(error).get("x-amz-bucket-region") or _error(error).get("Region")
    return told if isinstance(told, str) and _REGION.fullmatch(told) else None


def _failed(origin: S3Source, what: str, hint: str | None) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.ARTIFACT_FETCH_FAILED, f"{origin_text(origin)} could not be fetched: {what}", hint
    )


def _is_marker(error: object) -> bool:
    return bool(_headers(error).get("x-amz-delete-marker") == "true")


def _status(error: object) -> int:
    return int(_metadata(error).get("HTTPStatusCode", 0))


def _code(error: object) -> str:
    return str(_error(error).get("Code", ""))[:40]


def _headers(error: object) -> dict[str, Any]:
    headers: dict[str, Any] = _metadata(error).get("HTTPHeaders", {})
    return headers


def _metadata(error: object) -> dict[str, Any]:
    metadata: dict[str, Any] = getattr(error, "response", {}).get("ResponseMetadata", {})
    return metadata


def _error(error: object) -> dict[str, Any]:
    body: dict[str, Any] = getattr(error, "response", {}).get("Error", {})
    return body
