"""Entry points for what calls ratingpriv by itself: hooks of version control."""
