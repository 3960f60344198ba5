"""Every table and every figure with data of the paper by one command, on recordings simulated for it."""
