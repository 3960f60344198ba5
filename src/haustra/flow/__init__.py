"""Dense optical flow behind one interface, chosen by name (paper, ap:optical_flow)."""

from __future__ import annotations

from haustra.flow.methods import FLOW_NAMES, Flow, flow_weights, open_flow
from haustra.flow.score import endpoint_error

__all__ = ["FLOW_NAMES", "Flow", "endpoint_error", "flow_weights", "open_flow"]
