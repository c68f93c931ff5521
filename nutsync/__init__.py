"""nutsync: long-term memory for AI agents and their people, as plain Markdown in Git."""

__version__ = "0.1.0"
