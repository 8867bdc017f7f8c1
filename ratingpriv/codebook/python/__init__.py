"""What Python has in hand as columns of a table: data frames, arrays, and what SPSS says of variables."""
