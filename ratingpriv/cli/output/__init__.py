"""What a command prints and how it ends: results, notes and progress, exit codes."""
