"""A page as semantic HTML: headings, lists, commands, tables; nothing that says how it looks."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ratingpriv.report.markup.blocks import TitledTable, blocks
from ratingpriv.report.plain import printable, sentence

if TYPE_CHECKING:
    from jinja2 import Template

    from ratingpriv.report.page import Page

_PAGE = """\
{%- macro commands(lines) -%}
{% for line in lines %}<pre><code>{{ line }}</code></pre>{% endfor %}
{%- endmacro -%}
{%- macro grid(titled) -%}
<div class="table" role="group" aria-label="{{ titled.caption }}" tabindex="0">
<table>
<caption{% if not titled.introduced %} class="unseen"{% endif %}>{{ titled.caption }}</caption>
<thead>
<tr>{% for name in titled.table.columns -%}
{% set number = ' class="number"'|safe if titled.table.right[loop.index0] -%}
{% if name %}<th scope="col"{{ number }}>{{ name }}</th>{% else %}<td></td>{% endif %}{% endfor %}</tr>
</thead>
<tbody>
{% for row in titled.table.rows -%}
<tr>{% for cell in row -%}
{% set number = ' class="number"'|safe if titled.table.right[loop.index0] -%}
{% if loop.first %}<th scope="row"{{ number }}>{{ cell }}</th>
{%- else %}<td{{ number }}>{{ cell }}</td>{% endif %}{% endfor %}</tr>
{% endfor -%}
</tbody>
</table>
</div>
{% endmacro -%}
<article class="page">
<h{{ level }} class="headline{{ verdict }}">{{ headline }}</h{{ level }}>
{% for paragraph in explanation -%}
<p>{{ paragraph }}</p>
{% endfor -%}
{% if picture %}{{ picture|safe }}
{% endif -%}
{% for title, parts in sections -%}
<section>
<h{{ level + 1 }}>{{ title }}</h{{ level + 1 }}>
{% for part in parts -%}
{% if part is titled %}{{ grid(part) }}{% else -%}
{% if part[0].text is none %}{{ commands(part[0].commands) }}
{% set part = part[1:] %}{% endif -%}
{% if part %}<ul>
{% for entry in part -%}
<li>{{ entry.text }}{{ commands(entry.commands) }}</li>
{% endfor -%}
</ul>
{% endif %}{% endif -%}
{% endfor -%}
</section>
{% endfor -%}
</article>
"""

_VERDICTS = {None: "", True: " good", False: " bad"}  # the headline says it in words, too


def fragment(page: Page, *, level: int = 1, picture: str = "") -> str:
    """Return the page as an ``<article>`` that may stand in any document; what it says is escaped.

    Control characters of the data are escaped as on a terminal, everything else as HTML. A sentence that
    ends with a colon is the caption of the table that follows it, and a command stands in the item before it.

    Parameters
    ----------
    level : of the headline, 1 to 5; sections have the next one
    picture : HTML that stands before the first section, such as a ``<figure>``
    """
    if level not in range(1, 6):
        raise ValueError(f"level {level}: a headline is of level 1 to 5")
    return _template().render(
        level=level,
        picture=picture,
        verdict=_VERDICTS[page.good],
        headline=printable(page.headline),
        explanation=[printable(sentence(paragraph)) for paragraph in page.explanation],
        sections=[
            (printable(section.title), list(blocks(section))) for section in page.sections if section.items
        ],
    )


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined)
    made.tests["titled"] = lambda part: isinstance(part, TitledTable)
    return made.from_string(_PAGE)
