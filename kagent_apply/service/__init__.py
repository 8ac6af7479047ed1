"""The gRPC services: requests in, replies and statuses out."""
