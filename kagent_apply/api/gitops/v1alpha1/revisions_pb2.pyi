from kagent_apply.api.v1alpha1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Pair(_message.Message):
    __slots__ = ("namespace", "harness", "agent_template", "serving", "committed", "commit", "problem")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    HARNESS_FIELD_NUMBER: _ClassVar[int]
    AGENT_TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    SERVING_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    harness: str
    agent_template: str
    serving: str
    committed: str
    commit: str
    problem: str
    def __init__(self, namespace: _Optional[str] = ..., harness: _Optional[str] = ..., agent_template: _Optional[str] = ..., serving: _Optional[str] = ..., committed: _Optional[str] = ..., commit: _Optional[str] = ..., problem: _Optional[str] = ...) -> None: ...

class ListRevisionsRequest(_message.Message):
    __slots__ = ("namespace", "page")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    page: _common_pb2.PageRequest
    def __init__(self, namespace: _Optional[str] = ..., page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class ListRevisionsResponse(_message.Message):
    __slots__ = ("pairs", "page", "problem")
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    pairs: _containers.RepeatedCompositeFieldContainer[Pair]
    page: _common_pb2.PageResponse
    problem: str
    def __init__(self, pairs: _Optional[_Iterable[_Union[Pair, _Mapping]]] = ..., page: _Optional[_Union[_common_pb2.PageResponse, _Mapping]] = ..., problem: _Optional[str] = ...) -> None: ...

class ListActorTemplatesInUseRequest(_message.Message):
    __slots__ = ("namespace",)
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    def __init__(self, namespace: _Optional[str] = ...) -> None: ...

class ListActorTemplatesInUseResponse(_message.Message):
    __slots__ = ("actor_templates",)
    ACTOR_TEMPLATES_FIELD_NUMBER: _ClassVar[int]
    actor_templates: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, actor_templates: _Optional[_Iterable[str]] = ...) -> None: ...
