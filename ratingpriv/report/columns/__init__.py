"""What columns are, as pages."""
