"""What a change of ratings costs [SWLP10, Def. 5-6]:
the cost model below partition and anonymisation.
"""
