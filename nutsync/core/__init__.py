"""Pure rules: values in, values out. Standard library only; no clock, no files, no Git."""
