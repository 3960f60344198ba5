"""Every table and every figure with data of the paper by one command, on simulated recordings made for it."""
