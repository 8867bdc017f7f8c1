"""MovieLens data as GroupLens publishes it."""
