"""Kills and failing disks at every call to the file system,
of every command that writes: ``make crash``.

``faults.c`` stands between a process and the C library, so that what Python, polars, pyarrow and
the embedded store do is all seen; ``server.py`` forks a warm process for each point;
``commands.py`` says which commands; ``judging.py`` what they may leave.
"""
