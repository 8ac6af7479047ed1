"""Objects of Argo CD and Flux in the examples are such as their CRDs take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.oracle_crd import CrdOracle
from tests.parts import REPOSITORY, go_module

pytestmark = pytest.mark.oracle

ARGO_CD = ("github.com/argoproj/argo-cd/v3", "v3.2.1", "manifests/crds")
KUSTOMIZE_CONTROLLER = ("github.com/fluxcd/kustomize-controller", "v1.7.3", "config/crd/bases")
SOURCE_CONTROLLER = ("github.com/fluxcd/source-controller", "v1.8.0", "config/crd/bases")

CRDS = {
    ("argoproj.io/v1alpha1", "Application"): (*ARGO_CD, "application-crd.yaml"),
    ("argoproj.io/v1alpha1", "AppProject"): (*ARGO_CD, "appproject-crd.yaml"),
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"): (
        *KUSTOMIZE_CONTROLLER,
        "kustomize.toolkit.fluxcd.io_kustomizations.yaml",
    ),
    ("source.toolkit.fluxcd.io/v1", "GitRepository"): (
        *SOURCE_CONTROLLER,
        "source.toolkit.fluxcd.io_gitrepositories.yaml",
    ),
}


def objects() -> Iterator[tuple[str, Any]]:
    """Every object of the examples whose kind has a CRD here."""
    for top in ("argocd", "flux"):
        for path in sorted((REPOSITORY / "examples" / top).rglob("*.yaml")):
            for value in yaml.safe_load_all(path.read_text()):
                if (value["apiVersion"], value["kind"]) in CRDS:
                    yield f"{path.relative_to(REPOSITORY)}: {value['kind']}", value


OBJECTS = dict(objects())


@pytest.fixture(scope="module")
def oracle() -> Iterator[CrdOracle]:
    with CrdOracle() as running:
        yield running


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_is_taken_without_a_word(name: str, oracle: CrdOracle) -> None:
    value = OBJECTS[name]
    module, version, folder, file = CRDS[value["apiVersion"], value["kind"]]
    crd = Path(go_module(module, version)) / folder / file
    verdict = oracle.validate(str(crd), value["apiVersion"].rpartition("/")[2], value)
    assert not verdict.refused, verdict


def test_every_kind_is_looked_at() -> None:
    assert {(value["apiVersion"], value["kind"]) for value in OBJECTS.values()} == CRDS.keys()
