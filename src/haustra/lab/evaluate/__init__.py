"""Metrics, each named by its protocol, and the tables of the paper."""
