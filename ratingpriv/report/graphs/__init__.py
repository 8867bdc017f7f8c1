"""Nodes and relationships of an answer as a picture: SVG, or an HTML page that says what each is."""
