"""How figures are made: a module a kind, with ``run(figure, setting)``."""
