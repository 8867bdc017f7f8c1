"""The slicing loader: tables into graph stores, and into files for neo4j-admin."""
