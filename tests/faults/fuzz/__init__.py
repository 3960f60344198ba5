"""A seeded fuzzer over every reader (`make fuzz`), and a share of it in the tests.

Sound files of every kind are made first (the corpus). A child process with limits damages them one at a time and reads
them as a user's command would: the result must be there, or one printable line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.side_files import Reader


def all_readers() -> dict[str, Reader]:
    """By name."""
    from fuzz import dataset_files, folders, side_files, videos

    return side_files.READERS | dataset_files.READERS | folders.READERS | folders.STRANGERS | videos.READERS
