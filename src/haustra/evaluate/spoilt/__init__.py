"""Good pictures spoilt on purpose: material of training, and of exams that need no labels but "this one is good"."""
