"""What manifests leave to RenderConfig, and whether it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.policy import Policy
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.config import TARGETS
from kagent_render.target.generation import Setting
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import Harness
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.source.config import RenderConfig


_CORRECT = "correct it, or choose another"


def policy_of(config: RenderConfig) -> Policy:
    """RenderConfig as compilation needs it."""
    return Policy(
        target=config.target or "",
        controller_name=config.controller.name,
        controller_namespace=config.controller.namespace,
        tools_url=config.tools_url,
        worker_pool=config.substrate.worker_pool,
        snapshot_location=config.substrate.snapshot_location,
        pause_image=config.substrate.pause_image,
        images=config.images,
        s3_endpoint=config.s3.endpoint,
        s3_region=config.s3.region,
        insecure_registries=config.oci.insecure,
    )


def check_config(config: RenderConfig) -> Iterator[Diagnostic]:
    """What RenderConfig itself lacks where a pair is to be prepared."""
    if config.target is None:
        known = " or ".join(f"`{target}`" for target in TARGETS)
        yield _lacking(config, "target", "a Harness needs a target", f"set `spec.target` to {known}")
        return
    generation, substrate = generation_of(config.target), config.substrate
    if needs_pause_image(config.target) and substrate.pause_image is None:
        yield _lacking(
            config,
            "substrate.pauseImage",
            f"the target `{config.target}` needs a pause image",
            "set `spec.substrate.pauseImage` to an image pinned by digest",
        )
    for setting, field, text in (
        (Setting.SNAPSHOT_LOCATION, "substrate.snapshotLocation", substrate.snapshot_location),
        (Setting.WORKER_POOL, "substrate.workerPool", substrate.worker_pool),
        *((Setting.IMAGE, f"images.{variant}", image) for variant, image in config.images.items()),
    ):
        if text and (problem := generation.setting_problem(setting, text)):
            yield _lacking(config, field, problem, _CORRECT)
    if generation.INJECTS_CREDENTIALS:
        yield from _check_addresses(config)


def _check_addresses(config: RenderConfig) -> Iterator[Diagnostic]:
    """Addresses that an egress policy cannot allow, alone or beside each other."""
    from kagent_render.compile.egress_policy import config_egress_problem, config_schemes_problem

    policy = policy_of(config)
    if problem := config_egress_problem(policy.tools_url):
        yield _lacking(config, "tools.url", problem, "write the URL of a Service, by its DNS name")
    if problem := config_egress_problem(policy.controller_url):
        hint = "run the controller in a namespace whose name is no number"
        yield _lacking(config, "controller.namespace", problem, hint)
    if problem := config_schemes_problem(policy):
        yield _lacking(config, "tools.url", problem, "use `http`, or another port")


def needs_pause_image(target: str | None) -> bool:
    """Whether the manifests of a target name a pause image."""
    return Setting.PAUSE_IMAGE in generation_of(target or "").SETTINGS


def check_harness(harness: Harness, policy: Policy) -> Iterator[Diagnostic]:
    """What a Harness leaves out and RenderConfig does not give."""
    if not image_of(harness, policy):
        yield _unset(
            harness, ("workload", "image"), "the Harness names no image", f"images.{harness.variant}"
        )
    if not worker_pool_of(harness, policy):
        yield _unset(
            harness,
            ("substrate", "workerPoolRef", "name"),
            "the Harness names no worker pool",
            "substrate.workerPool",
        )
    if not snapshot_location_of(harness, policy):
        yield _unset(
            harness,
            ("substrate", "snapshotPolicy", "location"),
            "the Harness names no snapshot location",
            "substrate.snapshotLocation",
        )
    yield from _check_settings(harness, policy)


def _check_settings(harness: Harness, policy: Policy) -> Iterator[Diagnostic]:
    """What the Harness itself chooses and the target cannot hold."""
    generation = generation_of(policy.target)
    for setting, text, field in (
        (Setting.IMAGE, harness.image, ("workload", "image")),
        (Setting.WORKER_POOL, harness.worker_pool, ("substrate", "workerPoolRef", "name")),
        (Setting.SNAPSHOT_LOCATION, harness.snapshot_location, ("substrate", "snapshotPolicy", "location")),
    ):
        if text and (problem := generation.setting_problem(setting, text)):
            yield harness.document.fault(Reason.INVALID_SPEC, ("spec", *field), problem, hint=_CORRECT)


def image_of(harness: Harness, policy: Policy) -> str:
    """The runtime image: the Harness's, else RenderConfig's for the variant; empty where neither is."""
    return harness.image or policy.images.get(harness.variant, "")


def worker_pool_of(harness: Harness, policy: Policy) -> str:
    """The worker pool: the Harness's, else RenderConfig's; empty where neither is."""
    return harness.worker_pool or policy.worker_pool or ""


def snapshot_location_of(harness: Harness, policy: Policy) -> str:
    """Where snapshots go: the Harness's location, else RenderConfig's; empty where neither is."""
    return harness.snapshot_location or policy.snapshot_location or ""


def _lacking(config: RenderConfig, name: str, message: str, hint: str) -> Diagnostic:
    field: FieldPath = ("spec", *name.split("."))
    return config.document.fault(Reason.CONFIG_INVALID, field, message, hint=hint)


def _unset(harness: Harness, field: FieldPath, message: str, setting: str) -> Diagnostic:
    return harness.document.fault(
        Reason.INVALID_SPEC,
        ("spec", *field),
        f"{message}, and RenderConfig has no `spec.{setting}`",
        hint=f"set it here, or set `spec.{setting}` in `kagent-render.yaml`",
    )
