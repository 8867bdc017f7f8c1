"""The documentation site: pages that are written by hand,
and the reference made from the program itself.

``make docs`` runs ``python -m website.build``, which copies the pages into ``.cache/site/pages`` as
they stand in the repository, so that a link that is right there is right on the site, writes the
reference beside them, and has Sphinx build ``.cache/site/html``. What is generated is never
committed.
"""
