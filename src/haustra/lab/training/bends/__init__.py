"""The network that locates segment boundaries by the bends of a path (haustra.anatomy.bends), trained on simulation."""
