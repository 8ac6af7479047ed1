"""Instances of prepared agents: what a request asks for, and what may become of an instance."""
