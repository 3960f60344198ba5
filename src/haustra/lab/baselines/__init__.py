"""Baselines without training behind the interface of our motion network; learnt rivals are in `training.rivals`.

`haustra.motion.open_motion` opens them by name. Only XFeat needs torch.
"""
