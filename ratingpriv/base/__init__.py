"""What every room needs: errors, checks, numbers, files, the machine's resources,
what is asked for.
"""
