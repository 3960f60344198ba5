"""docs/results, from what the commands of its sections print.

`pages/*.toml` declare a page each: a question, and the sections that answer it, each with its command and what it was
measured on. What a command prints is kept in benchmarks/results/NAME.md together with the version, the parameters and
the models it was recorded with. No figure on a page is typed by hand.
"""
