"""`python -m haustra` is the command `haustra`."""

from haustra.cli import main

main()
