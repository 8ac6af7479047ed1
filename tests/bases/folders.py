"""The kustomizations of this repository, and what Components among them are added to."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.parts import REPOSITORY, program

_HEAD = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}

REPO_SERVER = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "argocd-repo-server"},
    "spec": {
        "selector": {"matchLabels": {"app.kubernetes.io/name": "argocd-repo-server"}},
        "template": {
            "metadata": {"labels": {"app.kubernetes.io/name": "argocd-repo-server"}},
            "spec": {
                "containers": [{"name": "argocd-repo-server", "image": "quay.io/argoproj/argocd:v3"}],
                "initContainers": [{"name": "copyutil", "image": "quay.io/argoproj/argocd:v3"}],
                "volumes": [{"name": "var-files", "emptyDir": {}}, {"name": "plugins", "emptyDir": {}}],
            },
        },
    },
}
"""Argo CD's Deployment as far as a sidecar sees it (manifests/base/repo-server)."""

SETTINGS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": {"url": "x"}}

APPLY = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "kagent-apply", "namespace": "kagent"},
    "spec": {
        "selector": {"matchLabels": {"app.kubernetes.io/name": "kagent-apply"}},
        "template": {
            "metadata": {"labels": {"app.kubernetes.io/name": "kagent-apply"}},
            "spec": {"containers": [{"name": "kagent-apply", "image": "kagent-apply"}]},
        },
    },
}
"""The Deployment of `kustomize/apply` as far as its Component sees it."""

COMPONENTS = {
    "kustomize/apply/cluster": APPLY,
    "kustomize/argocd-cmp": REPO_SERVER,
    "kustomize/argocd-health": SETTINGS,
}
"""The object that each Component changes."""


def kustomizations(kind: str) -> list[str]:
    """The folders with a kustomization of a kind, from the top of the repository."""
    files = [
        path for top in ("kustomize", "examples") for path in (REPOSITORY / top).rglob("kustomization.yaml")
    ]
    found = (path for path in files if yaml.safe_load(path.read_text())["kind"] == kind)
    return sorted(path.parent.relative_to(REPOSITORY).as_posix() for path in found)


def build(folder: Path | str) -> list[Any]:
    """The objects that `kubectl kustomize` gives."""
    done = subprocess.run(
        [program("kubectl"), "kustomize", str(folder)], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "deprecated" not in done.stderr.lower()
    return list(yaml.safe_load_all(done.stdout))


def build_component(component: str, folder: Path, namespace: str = "argocd") -> list[Any]:
    """The objects of a kustomization in `folder` that has a Component and the object that it changes."""
    (folder / "object.yaml").write_text(yaml.safe_dump(COMPONENTS[component]))
    # kustomize takes no absolute path, and none through a link.
    climb = Path(*[".."] * (len(folder.resolve().parts) - 1))
    path = (climb / (REPOSITORY / component).resolve().relative_to("/")).as_posix()
    document = {**_HEAD, "namespace": namespace, "resources": ["object.yaml"], "components": [path]}
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(document))
    return build(folder)
