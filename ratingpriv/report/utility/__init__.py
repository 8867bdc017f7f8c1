"""What a release is still good for, as a page."""
