"""What a pipeline makes of a result: limits on its numbers, and the outcome as JUnit XML."""
