"""Addresses of files as users write them: local paths, or anything that fsspec can address (s3://bucket/file)."""

from __future__ import annotations

from pathlib import Path

# Object stores. A table or haustra.toml may come from somebody else: it opens nothing else unless a user says so.
STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss"})


def is_remote(address: str) -> bool:
    return "://" in address


def scheme_of(address: str) -> str | None:
    """What stands before ://, None for a local path."""
    return address.partition("://")[0].lower() if is_remote(address) else None


def relative_to(folder: str, address: str) -> str:
    """`address` as seen from `folder`, which may be remote itself; absolute and remote addresses stay as they are."""
    if is_remote(address) or Path(address).is_absolute():
        return address
    return f"{folder.rstrip('/')}/{address}" if is_remote(folder) else str(Path(folder, address))


def folder_of(address: str) -> str:
    """Where a file lies, local or remote."""
    return address.rpartition("/")[0] if is_remote(address) else str(Path(address).absolute().parent)
