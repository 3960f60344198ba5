"""Programs that the project needs to be made, and the package does not."""
