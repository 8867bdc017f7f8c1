"""What each choice of method, k and ε costs: what is suppressed, what is kept, what an attack finds."""
