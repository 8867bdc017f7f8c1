"""Who rates much and what is rated by many, and what a known rating therefore gives away [NS08, §5]."""
