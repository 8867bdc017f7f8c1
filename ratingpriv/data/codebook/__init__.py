"""What each column of the data is, before anything is judged: roles, recodes, codebooks."""
