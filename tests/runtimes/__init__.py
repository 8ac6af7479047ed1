"""Real runtimes started on what is rendered, against a scripted model and a real MCP server."""
