"""What is ε-proximate with what [SWLZ11, Def. 4.1]: Hamming groups, neighbourhoods, pairs."""
