"""Stage 4: dense optical flow behind one interface, chosen by name (paper, ap:optical_flow)."""

from __future__ import annotations

from haustra.core.vocabulary import FLOW_NAMES
from haustra.flow.methods import Flow, flow_weights, open_flow
from haustra.flow.score import endpoint_error

__all__ = ["FLOW_NAMES", "Flow", "endpoint_error", "flow_weights", "open_flow"]
