"""The attacks of [NS08, Figs 4-6 and 8-12]: what is attacked with what knowledge, and what the paper says."""
