"""Tables as the measures of utility look at them, and the worthless one beside them."""
