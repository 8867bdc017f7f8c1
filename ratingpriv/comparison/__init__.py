"""What makes two records proximate: ratings within ε, the null rule, fixed rules of quasi-identifiers."""
