"""What an agent is given, and where it reads it: skill, hooks, MCP registration (design §12)."""
