"""What is done to Hamming groups one at a time, and the releases that are made of it."""
