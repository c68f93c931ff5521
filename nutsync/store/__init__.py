"""The only input and output: the clock, files, and Git."""
