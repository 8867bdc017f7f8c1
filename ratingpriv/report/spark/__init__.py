"""Pages of what was made on Apache Spark, from its JSON."""
