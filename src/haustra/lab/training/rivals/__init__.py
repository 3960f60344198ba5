"""The paper's learnt rivals, each implemented from its publication, with our training loop, pairs and evaluation.

They are here and not in `baselines` because they need the training loop; `haustra train motion --method NAME` writes a
motion.onnx that `haustra locate --motion FILE` accepts.
"""
