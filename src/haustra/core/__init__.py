"""Small helpers below everything: errors, files, times, poses, progress, ONNX models, the shared vocabulary."""
