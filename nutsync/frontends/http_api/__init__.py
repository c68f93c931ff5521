"""The HTTP interface: the same operations as the command line, for programs and for the page."""
