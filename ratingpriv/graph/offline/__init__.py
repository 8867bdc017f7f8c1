"""Import files for ``neo4j-admin database import``: a folder of them, and what their rows look like."""
