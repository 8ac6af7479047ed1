"""The real Claude Code on what the adapter writes, against a scripted model and real MCP servers."""
