"""Each field and enum value has the number that facts 10.2 to 10.4 give it."""

from __future__ import annotations

import pytest

from kagent_render.target.messages import ateapi_june_pb2, ateapi_pb2

NEWEST = {
    "ActorTemplate": "metadata=1 worker_selector=2 containers=3 volumes=4 snapshot_config=5 sandbox_config=6"
    " resources=7 status=8 default_egress_policy=9",
    "Selector": "match_labels=1",
    "Container": "name=1 image=2 command=3 args=4 env=5 wakeup_probe=6 volume_mounts=7 security_context=8"
    " resources=9",
    "EnvVar": "name=1 value=2",
    "ContainerWakeupProbe": "http_get=1 timeout_seconds=2",
    "HTTPGetAction": "path=1 port=2",
    "VolumeMount": "name=1 mount_path=2",
    "SecurityContext": "capabilities=1",
    "Capabilities": "add=1 drop=2",
    "Volume": "name=1 durable_dir=2 external_volume_template=3 system_info=5 image=6",
    "DurableDirVolumeSource": "",
    "ExternalVolumeTemplate": "capacity=1 storage_class_name=2",
    "SystemInfoVolumeSource": "data_sources=1",
    "SystemInfoDataSource": "actor_metadata=1 trust_bundle=2",
    "ActorMetadataDataSource": "items=1",
    "ActorMetadataItem": "field=1 path=2",
    "TrustBundleDataSource": "name=1 path=2 names=3",
    "ImageVolumeSource": "reference=1",
    "SnapshotConfig": "on_pause=1 on_commit=2 on_resume=3 storage_location=4",
    "OnResumeConfig": "from_data=1",
    "SandboxConfig": "sandbox_class=1 config_name=2",
    "Resources": "limits=1",
    "Limits": "name=1 quantity=2",
    "ActorTemplateStatus": "golden_snapshot_status=1",
    "GoldenSnapshotStatus": "golden_tag=1 take_golden_snapshot_at=2 error_message=3",
    "ResourceMetadata": "atespace=1 name=2 uid=3 version=4 create_time=5 update_time=6",
    "ObjectRef": "atespace=1 name=2",
    "DeleteOptions": "version=1 uid=2",
    "Actor": "metadata=1 actor_template=4 worker_selector=5 source_tag=6 status=7",
    "ActorStatus": "state=1 worker_assignment=2 in_progress_snapshot_uri=3 external_snapshot=4"
    " local_snapshot=5 actor_volumes=7 in_progress_local_snapshot_name=8 crash=9 assigned_node=10",
    "LocalSnapshot": "snapshot_name=1",
    "ExternalSnapshot": "snapshot_uri=1 content_scope=2 actor_template_uid=3",
    "CreateActorRequest": "actor=1",
    "DeleteActorRequest": "actor=1 any_state=2 options=3",
    "ResumeActorResponse": "actor=1 resumed=2",
    "ListActorsRequest": "atespace=1 page_size=2 page_token=3",
    "CreateActorEgressPolicyRequest": "actor=1 egress_policy=2",
    "UpdateActorEgressPolicyRequest": "actor=1 egress_policy=2",
    "Tag": "metadata=1 status=2 scope=3 source_actor=4",
    "TagStatus": "snapshot=1 actor_template_uid=2 storage_location=3",
    "EgressPolicy": "metadata=1 rules=2",
    "EgressRule": "http=1 https=2 tls_passthrough=3",
    "HTTPRule": "hostnames=1 ports=2 effects=3",
    "HTTPSRule": "hostnames=1 ports=2 effects=3",
    "TLSPassthroughRule": "hostnames=1 ports=2",
    "Ports": "all=1 numbers=2",
    "AllPorts": "",
    "HttpRuleEffects": "replace_headers=1",
    "CredentialHeader": "header=1 prefix=2 credential_uri=3 actor_jwt=4",
    "Atespace": "metadata=1",
}

JUNE = {
    "ActorRef": "atespace=1 name=2",
    "Actor": "actor_id=1 version=2 actor_template_namespace=3 actor_template_name=4 status=5"
    " ateom_pod_namespace=6 ateom_pod_name=7 ateom_pod_ip=8 in_progress_snapshot=10 ateom_pod_uid=11"
    " latest_snapshot_info=12 worker_selector=13 worker_pool_name=14 atespace=15",
    "CreateActorRequest": "actor_ref=1 actor_template_namespace=2 actor_template_name=3 worker_selector=4",
    "CreateActorResponse": "actor=1",
    "GetActorResponse": "actor=1",
    "ResumeActorRequest": "actor_ref=1 boot=2",
    "SnapshotInfo": "type=1 external=2 local=3",
}

FIELDS = [
    pytest.param(file, message, fields, id=f"{file.package}.{message}")
    for file, table in ((ateapi_pb2.DESCRIPTOR, NEWEST), (ateapi_june_pb2.DESCRIPTOR, JUNE))
    for message, fields in table.items()
]

ENUMS = {
    "SandboxClass": "UNSPECIFIED GVISOR MICROVM",
    "SnapshotContentScope": "UNSPECIFIED FULL DATA",
    "ResumeSource": "UNSPECIFIED COLD_BOOT GOLDEN",
    "ActorMetadataField": "UNSPECIFIED NAME ATESPACE UID",
    "ActorState": "UNSPECIFIED RESUMING RUNNING SUSPENDING SUSPENDED PAUSING PAUSED CRASHED DELETING"
    " REVERTING",
    "TagScope": "UNSPECIFIED ATESPACE PUBLISHED",
    "WorkerState": "UNSPECIFIED ACTIVE DRAINING",
}


@pytest.mark.parametrize(("file", "message", "fields"), FIELDS)
def test_a_message_has_these_numbers_and_no_others(file: object, message: str, fields: str) -> None:
    descriptor = file.message_types_by_name[message]  # type: ignore[attr-defined]
    assert " ".join(f"{field.name}={field.number}" for field in descriptor.fields) == fields


@pytest.mark.parametrize("enum", ENUMS)
def test_the_values_of_an_enum_count_from_zero(enum: str) -> None:
    prefix = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in enum)[1:]
    values = ateapi_pb2.DESCRIPTOR.enum_types_by_name[enum].values
    expected = [(f"{prefix}_{name}", number) for number, name in enumerate(ENUMS[enum].split())]
    assert [(value.name, value.number) for value in values] == expected


def test_an_actor_of_june_has_six_states() -> None:
    names = ("UNSPECIFIED", "RESUMING", "RUNNING", "SUSPENDING", "SUSPENDED", "PAUSING", "PAUSED")
    values = ateapi_june_pb2.Actor.Status.DESCRIPTOR.values
    assert [(value.name, value.number) for value in values] == [
        (f"STATUS_{name}", number) for number, name in enumerate(names)
    ]


def test_no_field_of_a_fork_is_in_the_messages() -> None:
    numbers = [
        field.number
        for message in ateapi_pb2.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
    ]
    assert max(numbers) < 10001


def test_what_v0_4_0_has_not_is_marked() -> None:
    marked = {
        f"{message.name}.{field.name}"
        for message in ateapi_pb2.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
        if field.GetOptions().deprecated
    }
    assert marked == {"SnapshotConfig.on_pause", "SnapshotConfig.on_resume", "TrustBundleDataSource.name"}
