"""Stage 3: the Scaramuzza fisheye model (paper, appendix A): calibrate, import, undistort."""
