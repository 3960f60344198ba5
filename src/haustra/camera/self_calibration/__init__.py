"""The lens found from the recording itself: tracked corners, one lens and every pair's motion solved together."""
