"""The credential bindings of a boundary of the root template `lead`, whatever its runtime."""

from __future__ import annotations

from dataclasses import dataclass

from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.boundary import CompiledBoundary, compile_boundary
from kagent_render.compile.bundle import Bundle
from kagent_render.compile.credential_bindings import CredentialBinding, bind_credentials
from kagent_render.compile.policy import Policy
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.compile.boundaries import POLICY, Packages, bundle, record
from tests.manifests import model

KEY = "apiKeySecret: llm, apiKeySecretKey: token"
Told = tuple[str, str, str]


@dataclass(frozen=True)
class Bound:
    """What was bound, and what was said; `boundary` is what it was bound for."""

    bindings: tuple[CredentialBinding, ...]
    faults: list[Diagnostic]
    boundary: CompiledBoundary

    @property
    def bundle(self) -> Bundle:
        """The boundary's bundle."""
        return self.boundary.bundle

    @property
    def texts(self) -> list[str]:
        """The bindings as one text each."""
        return [text_of(binding) for binding in self.bindings]

    @property
    def told(self) -> list[Told]:
        """The faults by severity, object and field."""
        return [told(fault) for fault in self.faults]


def text_of(binding: CredentialBinding) -> str:
    """A binding on one line: host, header, value, variable."""
    value = f"{binding.prefix}<{binding.secret.name}/{binding.secret.key}>"
    return f"{binding.hostname} {binding.header}: {value} = {', '.join(binding.variables)}"


def told(fault: Diagnostic) -> Told:
    """A fault by severity, object and field."""
    return (
        fault.severity.value,
        f"{fault.object and fault.object.kind}/{fault.object and fault.object.name}",
        (fault.field or ""),
    )


def bound(
    *texts: str,
    llm: str = "",
    variant: str = "python",
    env: str = "",
    policy: Policy = POLICY,
    packages: Packages | None = None,
) -> Bound:
    """The bindings of `lead`'s boundary; `llm` is the spec of the ModelConfig that takes Ollama's place."""
    if llm:  # a document of the same name would be there twice
        texts = (model(llm, "chosen"), *(text.replace("{name: model}", "{name: chosen}") for text in texts))
    found = bundle(*texts, variant=variant, env=env, policy=policy, packages=packages)
    boundary, _ = compile_boundary(found, record(), policy)
    bindings, faults = bind_credentials(found, adapter_of(found.harness.variant), boundary.env, policy)
    return Bound(bindings, faults, boundary)
