"""Predicting ratings that nobody gave: means, biases and factors."""
