"""One folder a technology, the same file names inside. Rows and drivers live here; decisions live above."""
