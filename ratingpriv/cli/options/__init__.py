"""Options that commands share, each written once, and the types of their values."""
