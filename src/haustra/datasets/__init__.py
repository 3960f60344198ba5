"""Public datasets and our own folders behind one small interface, in our conventions (DESIGN 3)."""
