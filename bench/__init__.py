"""Measuring: archives to measure on, and pairs of commands to compare. No figure here is a test."""
