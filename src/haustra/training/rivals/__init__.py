"""The paper's learnt rivals, each written from its publication, on our loop, pairs and evaluation.

They lie here and not in `baselines` because they need the training loop; `haustra train motion --method NAME` makes a
motion.onnx that `haustra locate --motion FILE` takes like our own.
"""
