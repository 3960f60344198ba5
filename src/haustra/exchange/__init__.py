"""Formats of other programs: what `haustra export` writes, and what `haustra apply` reads back.

A format is a file in this package and a line in `formats.py`.
"""
