"""A colon, a scope and an operator with exact ground truth."""
