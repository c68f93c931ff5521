"""Everything that knows Git. Reading and committing use the `git` program; set-up uses GitPython."""
