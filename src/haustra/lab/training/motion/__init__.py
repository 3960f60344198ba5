"""Camera motion estimation: the paper's two networks, its losses, and the trainer."""
