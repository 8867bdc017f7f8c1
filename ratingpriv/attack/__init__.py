"""De-anonymisation as Narayanan and Shmatikov did it [NS08], to learn what an adversary could."""
