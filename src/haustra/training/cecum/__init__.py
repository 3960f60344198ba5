"""The network that knows the cecum (haustra.anatomy.cecum): frozen ImageNet features and a logistic regression."""
