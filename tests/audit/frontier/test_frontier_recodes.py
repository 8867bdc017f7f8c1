"""Which recodes reach k: equal to trying every combination by the definition."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ratingpriv
from ratingpriv.audit.frontier.recodes import MOST_NODES
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.files.toml_file import parse_toml, read_codebook
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recoding import as_it_is, levels_of

PLACES = {"Bern": ("W", "*"), "Basel": ("W", "*"), "Graz": ("O", "*"), "Wien": ("O", "*")}
BOOK = """\
[data]
scale = "1:5"
[columns.id]
role = "id"
[columns.city]
role = "quasi"
map = "h.csv"
level = 1
[columns.age]
role = "quasi"
bands = [5, 20]
[columns."q*"]
role = "rating"
"""
AGES = {0: lambda age: age, 1: lambda age: age // 5, 2: lambda age: age // 20}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recodes")
    (folder / "h.csv").write_text(
        "".join(f"{city};{';'.join(up)}\n" for city, up in PLACES.items())
    )
    (folder / "book.toml").write_text(BOOK)
    return folder


def table_of(folder, rows):
    """The table of rows (city, age, ratings), and its codebook."""
    lines = ["id,city,age,q1,q2"]
    for place, (city, age, ratings) in enumerate(rows):
        cells = ["" if rating is None else str(rating) for rating in ratings]
        lines.append(",".join([f"r{place}", city or "", "" if age is None else str(age), *cells]))
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    book = read_codebook(folder / "book.toml")
    options = ReadOptions(codebook=as_it_is(book), layout="wide")
    return ratingpriv.read(folder / "data.csv", options=options), book


def seen(row, node):
    city, age, _ = row
    place = city if node[0] == 0 or city is None else PLACES[city][node[0] - 1]
    return place, None if age is None else AGES[node[1]](age)


def nodes_of(found):
    """The levels of the minimal nodes, in the order of columns, and the distance of each."""
    return [(tuple(node.levels.values()), node.epsilon) for node in found.recodes.nodes]


def reaches(rows, node, k, epsilon):
    """By the definition, under the strict rule:
    everybody has k within epsilon that look the same.
    """

    def near(one, other):
        return seen(one, node) == seen(other, node) and all(
            (a is None) == (b is None) and (a is None or abs(a - b) <= epsilon)
            for a, b in zip(one[2], other[2], strict=True)
        )

    return all(sum(near(one, other) for other in rows) >= k for one in rows)


RATINGS = st.tuples(*[st.one_of(st.none(), st.integers(1, 5))] * 2)
ROWS = st.lists(
    st.tuples(st.sampled_from([*PLACES, None]), st.one_of(st.none(), st.integers(20, 45)), RATINGS),
    min_size=4, max_size=8,
).filter(lambda rows: any(rating is not None for row in rows for rating in row[2]))  # fmt: skip


@settings(max_examples=8)
@given(ROWS, st.integers(2, 3))
def test_equal_to_every_combination_by_the_definition(folder, rows, k):
    rows = [*rows, *rows[:2]]  # so that something is within reach at all
    table, book = table_of(folder, rows)
    if table.quasi == () or any(len(column.values) == 0 for column in table.quasi):
        return
    found = ratingpriv.frontier(table, k=k, recode=book, partition=False)
    below = min((row.epsilon for row in found.rows if not row.protection), default=99)
    smallest = {}
    for node in itertools.product(range(3), range(3)):
        at = [e for e in range(6) if e < below and reaches(rows, node, k, e)]
        smallest[node] = min(at, default=None)
    minimal = {
        node: at
        for node, at in smallest.items()
        if at is not None
        and not any(
            other != node and all(a <= b for a, b in zip(other, node, strict=True))
            and (there := smallest[other]) is not None and there <= at
            for other in smallest
        )
    }  # fmt: skip
    assert dict(nodes_of(found)) == minimal
    assert found.recodes.searched == 9
    for node, at in smallest.items():  # a coarser one never needs more
        for place in range(2):
            up = tuple(level + (axis == place) for axis, level in enumerate(node))
            assert up not in smallest or at is None or smallest[up] <= at


ROW = [("Bern", 31, (4, 5)), ("Basel", 38, (4, 5)), ("Graz", 34, (2, 1)), ("Wien", 39, (2, 3))]


def test_what_is_said_of_a_node(folder):
    table, book = table_of(folder, ROW)
    found = ratingpriv.frontier(table, k=2, recode=book, partition=False)
    recodes = found.recodes
    assert not found.satisfied
    assert nodes_of(found) == [((1, 2), 2)]
    node = recodes.nodes[0]
    assert (node.height.of, node.values_lost.of) == ((3, 4), (5, 8))
    city, age = recodes.columns
    assert [(one.recoded, one.values) for one in city.levels] == [
        ("", 4), ("map=h.csv, level=1", 2), ("map=h.csv, level=2", 1)
    ]  # fmt: skip
    assert [one.recoded for one in age.levels] == ["", "band=5", "band=20"]
    said = found.to_dict()["recodes"]["nodes"][0]
    assert (said["levels"], said["height"]["of"]) == ({"city": 1, "age": 2}, [3, 4])


@pytest.mark.parametrize("epsilon", [None, [0, 1, 3], [1, 0]])
def test_a_coarser_recode_can_have_a_smaller_distance(folder, epsilon):
    pair = [("Bern", 31, (5, 5))] * 2  # so that not everything is within 1
    alone = [("Bern", (1, 1)), ("Basel", (2, 1)), ("Graz", (1, 1)), ("Wien", (2, 1))]
    table, book = table_of(folder, [*pair, *((city, 31, ratings) for city, ratings in alone)])
    found = ratingpriv.frontier(table, k=2, epsilon=epsilon, recode=book, partition=False)
    assert nodes_of(found) == [((1, 0), 1), ((2, 0), 0)]


def test_without_ratings_it_is_k_anonymity(folder):
    table_of(folder, [(city, age, (None, None)) for city, age, _ in ROW])
    bare = parse_toml(BOOK.replace('role = "rating"', 'role = "drop"'), str(folder / "book.toml"))
    plain = ratingpriv.read(
        folder / "data.csv", options=ReadOptions(codebook=as_it_is(bare), layout="wide")
    )
    found = ratingpriv.frontier(plain, k=2, epsilon=0, recode=bare, partition=False)
    assert [node for node, _ in nodes_of(found)] == [(1, 2), (2, 1)]


def test_nothing_to_try(folder):
    table, _ = table_of(folder, ROW)
    for text in ("", '[columns.age]\nrole = "quasi"\n'):
        with pytest.raises(ParameterError, match="no levels"):
            ratingpriv.frontier(table, k=2, recode=parse_toml(text, "x"))


def test_too_many_to_try(folder):
    table, _ = table_of(folder, ROW)
    widths = ", ".join(str(5 * 2**place) for place in range(40))
    text = f'[columns.age]\nrole = "quasi"\nbands = [{widths}]\n'
    (folder / "long.csv").write_text(
        "".join(f"{city};{';'.join([city] * 40)}\n" for city in PLACES)
    )
    text += '[columns.city]\nrole = "quasi"\nmap = "long.csv"\nlevel = 1\n'
    with pytest.raises(
        ParameterError, match=f"1681 combinations of levels', expected at most {MOST_NODES}"
    ):
        ratingpriv.frontier(table, k=2, recode=parse_toml(text, str(folder / "x.toml")))


@pytest.mark.parametrize("bands", ["[]", "[5, 5]", "[5, 12]", "[0]", "[10, 5]", '["5"]', "5"])
def test_bands_are_multiples_of_each_other(bands):
    with pytest.raises(DataError, match="each a multiple of the one before"):
        parse_toml(f'[columns.age]\nrole = "quasi"\nbands = {bands}\n', "x")


def test_a_column_that_is_recoded_already_has_no_levels(folder):
    _, book = table_of(folder, ROW)
    table = ratingpriv.read(folder / "data.csv", codebook=book, layout="wide")
    with pytest.raises(DataError):
        levels_of(table.quasi[0], book)
