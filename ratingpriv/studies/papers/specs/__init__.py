"""The figures, a TOML file each: title, source, the papers' statements, the data and the parameters."""
