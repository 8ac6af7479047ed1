import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from kagent_apply.api.v1alpha1 import agent_instances_pb2 as _agent_instances_pb2
from kagent_apply.api.v1alpha1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckpointState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHECKPOINT_STATE_UNSPECIFIED: _ClassVar[CheckpointState]
    CHECKPOINT_STATE_CREATING: _ClassVar[CheckpointState]
    CHECKPOINT_STATE_READY: _ClassVar[CheckpointState]
    CHECKPOINT_STATE_FAILED: _ClassVar[CheckpointState]
    CHECKPOINT_STATE_DELETING: _ClassVar[CheckpointState]
CHECKPOINT_STATE_UNSPECIFIED: CheckpointState
CHECKPOINT_STATE_CREATING: CheckpointState
CHECKPOINT_STATE_READY: CheckpointState
CHECKPOINT_STATE_FAILED: CheckpointState
CHECKPOINT_STATE_DELETING: CheckpointState

class Checkpoint(_message.Message):
    __slots__ = ("id", "namespace", "agent_instance_id", "head_task_id", "history_sequence", "state", "created_at", "failure")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    HEAD_TASK_ID_FIELD_NUMBER: _ClassVar[int]
    HISTORY_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    id: str
    namespace: str
    agent_instance_id: str
    head_task_id: str
    history_sequence: int
    state: CheckpointState
    created_at: _timestamp_pb2.Timestamp
    failure: _agent_instances_pb2.Failure
    def __init__(self, id: _Optional[str] = ..., namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ..., head_task_id: _Optional[str] = ..., history_sequence: _Optional[int] = ..., state: _Optional[_Union[CheckpointState, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., failure: _Optional[_Union[_agent_instances_pb2.Failure, _Mapping]] = ...) -> None: ...

class CreateCheckpointRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateCheckpointResponse(_message.Message):
    __slots__ = ("checkpoint",)
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    checkpoint: Checkpoint
    def __init__(self, checkpoint: _Optional[_Union[Checkpoint, _Mapping]] = ...) -> None: ...

class GetCheckpointRequest(_message.Message):
    __slots__ = ("namespace", "checkpoint_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    checkpoint_id: str
    def __init__(self, namespace: _Optional[str] = ..., checkpoint_id: _Optional[str] = ...) -> None: ...

class GetCheckpointResponse(_message.Message):
    __slots__ = ("checkpoint",)
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    checkpoint: Checkpoint
    def __init__(self, checkpoint: _Optional[_Union[Checkpoint, _Mapping]] = ...) -> None: ...

class ListCheckpointsRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id", "page")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    page: _common_pb2.PageRequest
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ..., page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListCheckpointsResponse(_message.Message):
    __slots__ = ("checkpoints", "page")
    CHECKPOINTS_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    checkpoints: _containers.RepeatedCompositeFieldContainer[Checkpoint]
    page: _common_pb2.PageResponse
    def __init__(self, checkpoints: _Optional[_Iterable[_Union[Checkpoint, _Mapping]]] = ..., page: _Optional[_Union[_common_pb2.PageResponse, _Mapping]] = ...) -> None: ...

class DeleteCheckpointRequest(_message.Message):
    __slots__ = ("namespace", "checkpoint_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    checkpoint_id: str
    def __init__(self, namespace: _Optional[str] = ..., checkpoint_id: _Optional[str] = ...) -> None: ...

class DeleteCheckpointResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ForkAgentInstanceRequest(_message.Message):
    __slots__ = ("namespace", "checkpoint_id", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    checkpoint_id: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., checkpoint_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ForkAgentInstanceResponse(_message.Message):
    __slots__ = ("agent_instance",)
    AGENT_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    agent_instance: _agent_instances_pb2.AgentInstance
    def __init__(self, agent_instance: _Optional[_Union[_agent_instances_pb2.AgentInstance, _Mapping]] = ...) -> None: ...
