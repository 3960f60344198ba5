"""The network that reads the course of a path (haustra.anatomy.bends), trained on simulated courses alone."""
