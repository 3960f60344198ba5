"""PWC-Net (Sun 2018), the optical flow of the paper's appendix, trained on simulated flow."""
