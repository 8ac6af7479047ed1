import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from kagent_apply.api.v1alpha1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AgentInstanceState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AGENT_INSTANCE_STATE_UNSPECIFIED: _ClassVar[AgentInstanceState]
    AGENT_INSTANCE_STATE_CREATING: _ClassVar[AgentInstanceState]
    AGENT_INSTANCE_STATE_READY: _ClassVar[AgentInstanceState]
    AGENT_INSTANCE_STATE_SUSPENDED: _ClassVar[AgentInstanceState]
    AGENT_INSTANCE_STATE_FAILED: _ClassVar[AgentInstanceState]
    AGENT_INSTANCE_STATE_DELETING: _ClassVar[AgentInstanceState]
    AGENT_INSTANCE_STATE_DELETED: _ClassVar[AgentInstanceState]

class AgentInstanceOperation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AGENT_INSTANCE_OPERATION_UNSPECIFIED: _ClassVar[AgentInstanceOperation]
    AGENT_INSTANCE_OPERATION_CREATE: _ClassVar[AgentInstanceOperation]
    AGENT_INSTANCE_OPERATION_SUSPEND: _ClassVar[AgentInstanceOperation]
    AGENT_INSTANCE_OPERATION_RESUME: _ClassVar[AgentInstanceOperation]
    AGENT_INSTANCE_OPERATION_DELETE: _ClassVar[AgentInstanceOperation]

class AgentInstanceSharePermission(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AGENT_INSTANCE_SHARE_PERMISSION_UNSPECIFIED: _ClassVar[AgentInstanceSharePermission]
    AGENT_INSTANCE_SHARE_PERMISSION_READ_ONLY: _ClassVar[AgentInstanceSharePermission]
    AGENT_INSTANCE_SHARE_PERMISSION_READ_WRITE: _ClassVar[AgentInstanceSharePermission]
AGENT_INSTANCE_STATE_UNSPECIFIED: AgentInstanceState
AGENT_INSTANCE_STATE_CREATING: AgentInstanceState
AGENT_INSTANCE_STATE_READY: AgentInstanceState
AGENT_INSTANCE_STATE_SUSPENDED: AgentInstanceState
AGENT_INSTANCE_STATE_FAILED: AgentInstanceState
AGENT_INSTANCE_STATE_DELETING: AgentInstanceState
AGENT_INSTANCE_STATE_DELETED: AgentInstanceState
AGENT_INSTANCE_OPERATION_UNSPECIFIED: AgentInstanceOperation
AGENT_INSTANCE_OPERATION_CREATE: AgentInstanceOperation
AGENT_INSTANCE_OPERATION_SUSPEND: AgentInstanceOperation
AGENT_INSTANCE_OPERATION_RESUME: AgentInstanceOperation
AGENT_INSTANCE_OPERATION_DELETE: AgentInstanceOperation
AGENT_INSTANCE_SHARE_PERMISSION_UNSPECIFIED: AgentInstanceSharePermission
AGENT_INSTANCE_SHARE_PERMISSION_READ_ONLY: AgentInstanceSharePermission
AGENT_INSTANCE_SHARE_PERMISSION_READ_WRITE: AgentInstanceSharePermission

class Failure(_message.Message):
    __slots__ = ("reason", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class AgentInstance(_message.Message):
    __slots__ = ("id", "namespace", "creator", "harness", "agent_template", "prepared_revision", "a2a_authority", "state", "operation", "failure", "created_at", "updated_at", "labels")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CREATOR_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    PREPARED_REVISION_FIELD_NUMBER: _ClassVar[int]
    A2A_AUTHORITY_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    id: str
    namespace: str
    creator: str
    harness: _common_pb2.ResourceReference
    agent_template: _common_pb2.ResourceReference
    prepared_revision: str
    a2a_authority: str
    state: AgentInstanceState
    operation: AgentInstanceOperation
    failure: Failure
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    labels: _containers.ScalarMap[str, str]
    def __init__(self, id: _Optional[str] = ..., namespace: _Optional[str] = ..., creator: _Optional[str] = ..., harness: _Optional[_Union[_common_pb2.ResourceReference, _Mapping]] = ..., agent_template: _Optional[_Union[_common_pb2.ResourceReference, _Mapping]] = ..., prepared_revision: _Optional[str] = ..., a2a_authority: _Optional[str] = ..., state: _Optional[_Union[AgentInstanceState, str]] = ..., operation: _Optional[_Union[AgentInstanceOperation, str]] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ...) -> None: ...

class CreateAgentInstanceRequest(_message.Message):
    __slots__ = ("namespace", "harness", "agent_template", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    harness: str
    agent_template: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., harness: _Optional[str] = ..., agent_template: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateAgentInstanceResponse(_message.Message):
    __slots__ = ("agent_instance",)
    AGENT_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    agent_instance: AgentInstance
    def __init__(self, agent_instance: _Optional[_Union[AgentInstance, _Mapping]] = ...) -> None: ...

class GetAgentInstanceRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ...) -> None: ...

class GetAgentInstanceResponse(_message.Message):
    __slots__ = ("agent_instance",)
    AGENT_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    agent_instance: AgentInstance
    def __init__(self, agent_instance: _Optional[_Union[AgentInstance, _Mapping]] = ...) -> None: ...

class ListAgentInstancesRequest(_message.Message):
    __slots__ = ("namespace", "match_labels", "all_creators", "page")
    class MatchLabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MATCH_LABELS_FIELD_NUMBER: _ClassVar[int]
    ALL_CREATORS_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    match_labels: _containers.ScalarMap[str, str]
    all_creators: bool
    page: _common_pb2.PageRequest
    def __init__(self, namespace: _Optional[str] = ..., match_labels: _Optional[_Mapping[str, str]] = ..., all_creators: _Optional[bool] = ..., page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListAgentInstancesResponse(_message.Message):
    __slots__ = ("agent_instances", "page")
    AGENT_INSTANCES_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    agent_instances: _containers.RepeatedCompositeFieldContainer[AgentInstance]
    page: _common_pb2.PageResponse
    def __init__(self, agent_instances: _Optional[_Iterable[_Union[AgentInstance, _Mapping]]] = ..., page: _Optional[_Union[_common_pb2.PageResponse, _Mapping]] = ...) -> None: ...

class SuspendAgentInstanceRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ...) -> None: ...

class SuspendAgentInstanceResponse(_message.Message):
    __slots__ = ("agent_instance",)
    AGENT_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    agent_instance: AgentInstance
    def __init__(self, agent_instance: _Optional[_Union[AgentInstance, _Mapping]] = ...) -> None: ...

class ResumeAgentInstanceRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ...) -> None: ...

class ResumeAgentInstanceResponse(_message.Message):
    __slots__ = ("agent_instance",)
    AGENT_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    agent_instance: AgentInstance
    def __init__(self, agent_instance: _Optional[_Union[AgentInstance, _Mapping]] = ...) -> None: ...

class DeleteAgentInstanceRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ...) -> None: ...

class DeleteAgentInstanceResponse(_message.Message):
    __slots__ = ("agent_instance",)
    AGENT_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    agent_instance: AgentInstance
    def __init__(self, agent_instance: _Optional[_Union[AgentInstance, _Mapping]] = ...) -> None: ...

class AgentInstanceShare(_message.Message):
    __slots__ = ("id", "namespace", "agent_instance_id", "creator", "permission", "created_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    CREATOR_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    namespace: str
    agent_instance_id: str
    creator: str
    permission: AgentInstanceSharePermission
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ..., creator: _Optional[str] = ..., permission: _Optional[_Union[AgentInstanceSharePermission, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateAgentInstanceShareRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id", "permission")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    permission: AgentInstanceSharePermission
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ..., permission: _Optional[_Union[AgentInstanceSharePermission, str]] = ...) -> None: ...

class CreateAgentInstanceShareResponse(_message.Message):
    __slots__ = ("share", "token")
    SHARE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    share: AgentInstanceShare
    token: str
    def __init__(self, share: _Optional[_Union[AgentInstanceShare, _Mapping]] = ..., token: _Optional[str] = ...) -> None: ...

class ListAgentInstanceSharesRequest(_message.Message):
    __slots__ = ("namespace", "agent_instance_id", "page")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    AGENT_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    agent_instance_id: str
    page: _common_pb2.PageRequest
    def __init__(self, namespace: _Optional[str] = ..., agent_instance_id: _Optional[str] = ..., page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListAgentInstanceSharesResponse(_message.Message):
    __slots__ = ("shares", "page")
    SHARES_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    shares: _containers.RepeatedCompositeFieldContainer[AgentInstanceShare]
    page: _common_pb2.PageResponse
    def __init__(self, shares: _Optional[_Iterable[_Union[AgentInstanceShare, _Mapping]]] = ..., page: _Optional[_Union[_common_pb2.PageResponse, _Mapping]] = ...) -> None: ...

class RevokeAgentInstanceShareRequest(_message.Message):
    __slots__ = ("namespace", "share_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    SHARE_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    share_id: str
    def __init__(self, namespace: _Optional[str] = ..., share_id: _Optional[str] = ...) -> None: ...

class RevokeAgentInstanceShareResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
