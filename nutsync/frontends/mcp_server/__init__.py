"""The MCP server: memory as tools and resources for agents, by the same operations as the command line."""
