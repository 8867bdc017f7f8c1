"""Lines of statistics below the data are nobody's record,
in the languages that survey tools speak.
"""

from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.data.formats.describing import describe
from ratingpriv_loaders.totals import TAIL, is_statistic

ROWS = "id,q1,q2\nr1,3,4\nr2,3,4\nr3,5,5\n"
AS, BELOW = "a line of statistics", "a line below one of statistics"

WORDS = (
    "Total|Totals:|Grand Total|Overall|Base|Base size|N|n = 120|N=3|(n)|Valid N "
    "(listwise)|Valid|Missing|"
    "Mean|Mean (SD)|MEAN|Average|Median|Mode|Min|Min.|Max|Maximum|SD|Std|Std. Dev.|Standard "
    "deviation|"
    "St.Dev|Variance|1st Qu.|3rd Qu.|25%|75th percentile|Quartiles|% agree|Valid %|%|Percent|NA's|"
    "Top 2 Box|Total: "
    "12|Count|Gesamt|Gesamtergebnis|Summe|Mittelwert|Standardabweichung|Fehlend|Gültig|"
    "Unteres Quartil|Totaux|Moyenne :|Écart-type|ecart type|Médiane|Effectif|Total "
    "général|Promedio|"
    "Desviación estándar|Moda|Media|Soma|Desvio padrão|Totale|Deviazione "
    "standard|Totaal|Gemiddelde|"
    "Standaardafwijking|Razem|Średnia|Odchylenie standardowe|Medelvärde|Standardavvikelse|Yhteensä|"
    "Keskihajonta|Celkem|Průměr|Összesen|Toplam|Ortalama|Итого|Среднее|Стандартное "
    "отклонение|Σύνολο|"
    "Μέσος όρος|合計|平均|標準偏差|总计|標準差|합계|평균|المجموع"
).split("|")

NO_WORDS = (
    "r1|17|N12|P25|Q1|M|F|2024-01-01|Anna|Maxi|Minna|Base Camp|all of it|none|mean "
    "spirited|NA||x%y|"
    "Sumatra|Valid answer given"
).split("|")


def problems_of(folder: Path, text: str, **options: object) -> list[tuple[int | None, str]]:
    path = folder / "d.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        ratingpriv.read(path, **options)
    return [(problem.line, problem.found) for problem in caught.value.problems]


@pytest.mark.parametrize("word", WORDS)
def test_words_in_front(word: str) -> None:
    assert is_statistic(word)


@pytest.mark.parametrize("word", NO_WORDS)
def test_other_words(word: str) -> None:
    assert not is_statistic(word)


@pytest.mark.parametrize("word", ["Max", "Gesamtergebnis", "Totaux", "SD", "% valid"])
def test_such_a_line_is_no_record(tmp_path: Path, word: str) -> None:
    assert problems_of(tmp_path, f"{ROWS}{word},5,5\n") == [(5, AS)]
    assert problems_of(tmp_path, f"{ROWS}{word},5,5\n".replace("id", "who"), id="who") == [(5, AS)]
    path = tmp_path / "d.csv"
    with pytest.raises(DataError, match="line 5: found a line of statistics"):
        describe(path)


def test_every_line_after_one_is_told(tmp_path: Path) -> None:
    """A block of statistics has lines that no list of words knows,
    and values of a scale in between.
    """
    block = [
        "N,3,3",
        "Gültig,3,3",
        "kein Wort,0,0",
        "1 = nie,1,0",
        "5 = immer,1,2",
        "Mean,3.7,4.3",
        "r5,1,1",
    ]
    found = problems_of(tmp_path, ROWS + "\n".join(block) + "\n")
    assert found == [(5, AS), (6, AS), (7, BELOW), (8, BELOW), (9, BELOW), (10, AS), (11, BELOW)]


def test_a_long_block_is_found_to_its_first_line(tmp_path: Path) -> None:
    block = "".join(f"{word},1,1\n" for word in WORDS[:40])
    found = problems_of(tmp_path, ROWS + block, max_problems=50)
    assert [line for line, _ in found] == list(range(5, 45))


def test_what_is_an_answer_above_is_no_statistic(tmp_path: Path) -> None:
    """Regions N, S, E and W; a plan called Base:
    a word that more rows have is no line of statistics.
    """
    path = tmp_path / "d.csv"
    for words in ("NSEW", ("Base", "Plus", "Max", "Max", "Plus")):
        path.write_text(
            "where,q1\n" + "".join(f"{word},{n % 5 + 1}\n" for n, word in enumerate([*words] * 3))
        )
        assert ratingpriv.read(path, quasi=["where"]).n_records == 3 * len(words)


def test_the_first_record_may_be_called_so(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("name,q1\nMax,1\nAnna,2\n")
    assert ratingpriv.read(path, id="name").n_records == 2
    path.write_text("name,q1\nMax,1\n" + "".join(f"p{n},{n % 5}\n" for n in range(TAIL)))
    assert ratingpriv.read(path, id="name").n_records == TAIL + 1


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("when,city,q1\n1,Bonn,2\n2,Ulm,3\n,Total,5\n", {"drop": ["when"], "quasi": ["city"]}),
        ("id,vote,q1\n1,N,2\n2,N,3\nN,,5\n", {"quasi": ["vote"]}),  # an answer, in another column
        ("city,age,q1\nBonn,30,2\nUlm,30,3\n,Total,5\n", {"quasi": ["city", "age"]}),
        ("id,city,q1\n1,Bonn,2\n2,Ulm,3\nTotal,Bonn,5\n", {"quasi": ["city"], "id": "id"}),
        ("city,id,q1\nBonn,1,2\nUlm,2,3\nUlm,Total,5\n", {"quasi": ["city"], "id": "id"}),
        ("mail,id,q1\na@x.org,1,2\nb@x.org,2,3\nTotal,3,5\n", {"identifier": ["mail"], "id": "id"}),
    ],
)
def test_wherever_the_word_is_in_front(
    tmp_path: Path, text: str, options: dict[str, object]
) -> None:
    assert problems_of(tmp_path, text, **options)[0] == (4, AS)
