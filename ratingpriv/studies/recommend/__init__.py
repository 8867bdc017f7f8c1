"""What each k, ε and method costs on given data, and what it leaves to an adversary: a table and a front.

``ratingpriv.recommend(table, …)`` is :func:`ratingpriv.studies.recommend.recommend.recommend`.
"""
