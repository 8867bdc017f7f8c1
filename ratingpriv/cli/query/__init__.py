"""``ratingpriv query``: the Cypher library and one's own queries, listed, shown, and run on a store."""
