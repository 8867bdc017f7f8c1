"""How many records fit knowledge that is off by up to an error: :func:`ratingpriv.exposure`."""
