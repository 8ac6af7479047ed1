"""The messages of the gRPC services, as protoc writes them out of `proto`."""
