"""The blind proof: recordings that steered nothing, located once after every parameter is frozen."""
