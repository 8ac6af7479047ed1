"""A client of kagent's own names: its messages are those in the folder of the first argument.

It is a program of its own, since two sets of the same names do not fit into one process.
"""

from __future__ import annotations

import importlib
import sys

import grpc


def main(folder: str, address: str) -> None:
    """Create an instance, list it page by page, share it, and delete it."""
    sys.path.insert(0, folder)
    api = importlib.import_module("kagent.api.v1alpha1.agent_instances_pb2")
    stubs = importlib.import_module("kagent.api.v1alpha1.agent_instances_pb2_grpc")
    with grpc.insecure_channel(address) as channel:
        stub = stubs.AgentInstanceServiceStub(channel)
        made = stub.CreateAgentInstance(
            api.CreateAgentInstanceRequest(
                namespace="payments", harness="python-runtime", agent_template="triage", request_id="once"
            ),
            timeout=10,
        ).agent_instance
        listed = stub.ListAgentInstances(api.ListAgentInstancesRequest(namespace="payments"), timeout=10)
        name = {"namespace": made.namespace, "agent_instance_id": made.id}
        share = stub.CreateAgentInstanceShare(
            api.CreateAgentInstanceShareRequest(
                **name, permission=api.AGENT_INSTANCE_SHARE_PERMISSION_READ_ONLY
            ),
            timeout=10,
        )
        gone = stub.DeleteAgentInstance(api.DeleteAgentInstanceRequest(**name), timeout=10).agent_instance
        print(made.agent_template.name, api.AgentInstanceState.Name(made.state))
        print(len(listed.agent_instances), len(share.token), api.AgentInstanceState.Name(gone.state))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
