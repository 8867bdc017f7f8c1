"""What is said of a file's columns: the page of ``ratingpriv describe``, and its codebook."""
