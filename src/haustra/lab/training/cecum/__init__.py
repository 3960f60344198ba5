"""The cecum classifier (haustra.quality.cecum_classifier): frozen ImageNet features and a logistic regression."""
