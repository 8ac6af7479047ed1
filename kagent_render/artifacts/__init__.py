"""Immutable artifacts: fetching, safe archive reading, the vendored store, Agent Plugins and Skills."""
