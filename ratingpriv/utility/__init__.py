"""What a release is still good for: each measure beside the original's
and a worthless release's.
"""
