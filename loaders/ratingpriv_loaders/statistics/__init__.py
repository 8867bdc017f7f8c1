"""Files of statistics programs: SPSS, Stata and SAS, with their value labels and declared missing values."""
