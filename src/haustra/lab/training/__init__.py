"""Everything that needs PyTorch (`pip install 'haustra[train]'`): networks, losses, trainers, export."""

from __future__ import annotations

from haustra.core.errors import require

require("torch", "train")
require("safetensors", "train")
