"""Answers in words: which sets of words are known scales, in eight languages, and numbers beside words.

A set of words is a scale only if all of them are of one known scale, and all known scales that have them
agree on what they count: "Agree" and "Disagree" alone are 2 and 4 of five or 2 and 6 of seven, so nobody
can say. Where every word of a scale occurs it is that one, though a longer one has its words too; but a
scale without a middle needs MANY answers for that, among which a middle would have been ticked.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = [
    "MANY",
    "Understood",
    "is_no_answer",
    "labelled",
    "numbers_beside_words",
    "plain_words",
    "scale_of",
    "suggested",
]

MANY = 50
"""From so many answers on, a word that is not among them is not on the scale."""

# Scales from low to high, words of a place divided by bars; a place has one of its words in a column.
_SCALES = """
agreement en
strongly disagree | disagree | neither agree nor disagree,neither,neutral,undecided,not sure,neither agree or disagree,no opinion | agree | strongly agree
strongly disagree,completely disagree,totally disagree,fully disagree | somewhat disagree,slightly disagree,mostly disagree,tend to disagree,rather disagree | neither agree nor disagree,neither,neutral,undecided,neither agree or disagree | somewhat agree,slightly agree,mostly agree,tend to agree,rather agree | strongly agree,completely agree,totally agree,fully agree
completely disagree,totally disagree,fully disagree | disagree | neither agree nor disagree,neither,neutral,undecided | agree | completely agree,totally agree,fully agree
strongly disagree | disagree | somewhat disagree,slightly disagree | neither agree nor disagree,neither,neutral,undecided | somewhat agree,slightly agree | agree | strongly agree
strongly disagree | disagree | somewhat disagree,slightly disagree | somewhat agree,slightly agree | agree | strongly agree
strongly disagree | disagree | agree | strongly agree
strongly disagree,completely disagree | somewhat disagree,slightly disagree,tend to disagree | somewhat agree,slightly agree,tend to agree | strongly agree,completely agree
disagree | neutral,neither agree nor disagree | agree
frequency en
never | rarely,seldom,hardly ever,once in a while | sometimes,occasionally,about half the time | often,frequently,usually,most of the time,very often,mostly | always
never | rarely,seldom | sometimes,occasionally | often,frequently | very often
never | almost never | sometimes | fairly often,often | very often,almost always
never | rarely,seldom | sometimes,occasionally | usually,often,frequently,most of the time | almost always
never | sometimes,occasionally | often,frequently,usually,about half the time | always
never | rarely | occasionally | sometimes | frequently,often | usually | every time
not at all | several days | more than half the days | nearly every day
satisfaction en
very dissatisfied,very unsatisfied | dissatisfied,unsatisfied | neither satisfied nor dissatisfied,neutral,neither | satisfied | very satisfied
very dissatisfied,extremely dissatisfied | somewhat dissatisfied | neither satisfied nor dissatisfied,neutral,neither | somewhat satisfied | very satisfied,extremely satisfied
extremely dissatisfied,very dissatisfied | moderately dissatisfied,dissatisfied | slightly dissatisfied,somewhat dissatisfied | neither satisfied nor dissatisfied,neutral | slightly satisfied,somewhat satisfied | moderately satisfied,satisfied | extremely satisfied,very satisfied
very dissatisfied | dissatisfied | satisfied | very satisfied
likelihood en
very unlikely,extremely unlikely | unlikely,somewhat unlikely | neither likely nor unlikely,neutral,neither,undecided | likely,somewhat likely | very likely,extremely likely
very unlikely | unlikely | likely | very likely
definitely not | probably not | might or might not,maybe,possibly | probably,probably yes | definitely,definitely yes
definitely will not | probably will not | might or might not | probably will | definitely will
importance en
not at all important,not important,unimportant | slightly important,of little importance | moderately important,somewhat important | important | very important,extremely important
not at all important,not important | slightly important,somewhat important,not very important | moderately important | very important | extremely important
not at all important | not very important,not too important | somewhat important,fairly important | very important
quality en
very poor,very bad,terrible | poor,bad | fair,average,acceptable,neutral | good | very good,excellent
poor | fair | good | very good | excellent
poor | fair | good | excellent
extent en
not at all | slightly,a little,a little bit | moderately,somewhat | very,quite a bit,considerably,a lot,very much,quite | extremely,very much,completely
very favorably,very favourably | somewhat favorably,somewhat favourably | neither favorably nor unfavorably neutral,neither favorably nor unfavorably,neither favourably nor unfavourably | somewhat unfavorably,somewhat unfavourably | very unfavorably,very unfavourably
none | mild | moderate | severe | very severe
no not at all rude,no not rude at all | yes somewhat rude | yes very rude
easiness en
very difficult | difficult | neither easy nor difficult,neutral,neither | easy | very easy
yes/no en
no | yes
false | true
disagree | agree

agreement de
stimme überhaupt nicht zu,stimme gar nicht zu,stimme ganz und gar nicht zu | stimme nicht zu,stimme eher nicht zu | weder noch,teils teils,neutral,unentschieden,teilweise,teils/teils,weder/noch | stimme zu,stimme eher zu | stimme voll und ganz zu,stimme voll zu,stimme völlig zu,stimme vollkommen zu,stimme vollständig zu,stimme sehr zu
lehne stark ab,lehne völlig ab | lehne ab,lehne eher ab | weder noch,neutral,teils teils,unentschieden | stimme zu,stimme eher zu | stimme stark zu,stimme völlig zu,stimme voll zu
stimme überhaupt nicht zu,stimme gar nicht zu | stimme nicht zu | stimme eher nicht zu | weder noch,teils teils,neutral,unentschieden | stimme eher zu | stimme zu | stimme voll und ganz zu,stimme voll zu,stimme völlig zu,stimme vollkommen zu
stimme überhaupt nicht zu,stimme gar nicht zu,stimme nicht zu | stimme eher nicht zu | stimme eher zu | stimme voll und ganz zu,stimme voll zu,stimme völlig zu,stimme zu,stimme vollkommen zu
trifft überhaupt nicht zu,trifft gar nicht zu,trifft nicht zu | trifft eher nicht zu,trifft kaum zu | teils teils,weder noch,neutral,trifft teilweise zu,teils/teils | trifft eher zu,trifft überwiegend zu | trifft voll und ganz zu,trifft voll zu,trifft völlig zu,trifft zu,trifft vollkommen zu,trifft genau zu
trifft überhaupt nicht zu,trifft gar nicht zu,trifft nicht zu | trifft eher nicht zu,trifft kaum zu | trifft eher zu | trifft voll und ganz zu,trifft voll zu,trifft völlig zu,trifft zu,trifft genau zu
frequency de
nie,niemals | selten | manchmal,gelegentlich,hin und wieder | oft,häufig,meistens | immer,sehr oft,sehr häufig
nie,niemals | manchmal | oft,häufig | immer
satisfaction de
sehr unzufrieden | unzufrieden,eher unzufrieden | weder zufrieden noch unzufrieden,weder noch,neutral,teils teils | zufrieden,eher zufrieden | sehr zufrieden
sehr unzufrieden | unzufrieden,eher unzufrieden | zufrieden,eher zufrieden | sehr zufrieden
likelihood de
sehr unwahrscheinlich | unwahrscheinlich,eher unwahrscheinlich | weder wahrscheinlich noch unwahrscheinlich,neutral,vielleicht,teils teils | wahrscheinlich,eher wahrscheinlich | sehr wahrscheinlich
importance de
überhaupt nicht wichtig,gar nicht wichtig,sehr unwichtig,unwichtig | eher unwichtig,unwichtig,wenig wichtig,weniger wichtig | teils teils,weder noch,neutral,mittelmäßig wichtig,mäßig wichtig,einigermaßen wichtig | eher wichtig,wichtig,ziemlich wichtig | sehr wichtig,äußerst wichtig
quality de
sehr schlecht | schlecht,eher schlecht | mittelmäßig,neutral,mittel,befriedigend,durchschnittlich,teils teils | gut,eher gut | sehr gut
extent de
gar nicht,überhaupt nicht | wenig,kaum,etwas | mittelmäßig,mäßig,teilweise,teils teils | ziemlich,überwiegend,stark | sehr,völlig,sehr stark,außerordentlich
yes/no de
nein | ja
trifft nicht zu | trifft zu

agreement fr
pas du tout d'accord,tout à fait en désaccord,fortement en désaccord | pas d'accord,plutôt pas d'accord,en désaccord,plutôt en désaccord | ni d'accord ni pas d'accord,neutre,sans opinion,ni en accord ni en désaccord,ni d'accord ni en désaccord | d'accord,plutôt d'accord,en accord | tout à fait d'accord,fortement d'accord,totalement d'accord,tout à fait en accord
pas du tout d'accord | pas d'accord,plutôt pas d'accord | d'accord,plutôt d'accord | tout à fait d'accord
frequency fr
jamais | rarement | parfois,quelquefois,de temps en temps | souvent | toujours,très souvent
satisfaction fr
très insatisfait,pas du tout satisfait,très insatisfaite | insatisfait,plutôt insatisfait,peu satisfait,pas satisfait,insatisfaite | ni satisfait ni insatisfait,neutre,moyennement satisfait | satisfait,plutôt satisfait,satisfaite | très satisfait,tout à fait satisfait,très satisfaite
likelihood fr
très improbable,très peu probable | improbable,peu probable | ni probable ni improbable,neutre,peut-être | probable,plutôt probable | très probable
importance fr
pas du tout important,pas important | peu important | moyennement important,neutre,assez important | important | très important,extrêmement important
quality fr
très mauvais,très mauvaise | mauvais,mauvaise | moyen,moyenne,neutre,passable | bon,bonne | très bon,très bonne,excellent,excellente
extent fr
pas du tout | un peu,peu | moyennement,modérément | beaucoup,assez | énormément,extrêmement,tout à fait
yes/no fr
non | oui

agreement es
totalmente en desacuerdo,muy en desacuerdo | en desacuerdo,algo en desacuerdo | ni de acuerdo ni en desacuerdo,neutral,indeciso,indiferente,neutro | de acuerdo,algo de acuerdo | totalmente de acuerdo,muy de acuerdo
totalmente en desacuerdo,muy en desacuerdo | en desacuerdo,algo en desacuerdo | de acuerdo,algo de acuerdo | totalmente de acuerdo,muy de acuerdo
frequency es
nunca | casi nunca,rara vez,raramente,pocas veces | a veces,algunas veces,de vez en cuando | casi siempre,a menudo,frecuentemente,con frecuencia,muchas veces | siempre
satisfaction es
muy insatisfecho,nada satisfecho,muy insatisfecha | insatisfecho,poco satisfecho,insatisfecha | ni satisfecho ni insatisfecho,neutral,neutro,indiferente | satisfecho,bastante satisfecho,satisfecha | muy satisfecho,totalmente satisfecho,muy satisfecha
likelihood es
muy improbable,nada probable | improbable,poco probable | ni probable ni improbable,neutral,neutro,quizás | probable,bastante probable | muy probable
importance es
nada importante | poco importante | algo importante,moderadamente importante,neutral | importante,bastante importante | muy importante
quality es
muy malo,muy mala,pésimo | malo,mala | regular,aceptable,neutral,normal | bueno,buena | muy bueno,muy buena,excelente
extent es
nada | poco,un poco | algo,moderadamente,regular | bastante | mucho,muchísimo,totalmente
yes/no es
no | sí

agreement pt
discordo totalmente,discordo completamente,discordo fortemente | discordo,discordo parcialmente,discordo em parte | não concordo nem discordo,nem concordo nem discordo,neutro,indiferente,indeciso | concordo,concordo parcialmente,concordo em parte | concordo totalmente,concordo completamente,concordo fortemente
discordo totalmente | discordo,discordo parcialmente | concordo,concordo parcialmente | concordo totalmente
frequency pt
nunca | raramente,quase nunca | às vezes,algumas vezes,ocasionalmente | frequentemente,muitas vezes,quase sempre,com frequência | sempre
satisfaction pt
muito insatisfeito,muito insatisfeita | insatisfeito,insatisfeita | nem satisfeito nem insatisfeito,neutro,indiferente | satisfeito,satisfeita | muito satisfeito,muito satisfeita
likelihood pt
muito improvável,nada provável | improvável,pouco provável | nem provável nem improvável,neutro,talvez | provável | muito provável
importance pt
nada importante,sem importância | pouco importante | moderadamente importante,razoavelmente importante,neutro | importante | muito importante,extremamente importante
quality pt
muito ruim,péssimo,muito mau,péssima | ruim,mau | regular,razoável,neutro | bom,boa | muito bom,ótimo,excelente,muito boa
extent pt
nada | pouco,um pouco | moderadamente,mais ou menos,razoavelmente | bastante | muito,muitíssimo,extremamente,totalmente
yes/no pt
não | sim

agreement it
fortemente in disaccordo,completamente in disaccordo,per niente d'accordo,totalmente in disaccordo,per nulla d'accordo | in disaccordo,poco d'accordo,abbastanza in disaccordo,non d'accordo | né d'accordo né in disaccordo,neutrale,indifferente,indeciso,incerto,neutro | d'accordo,abbastanza d'accordo | fortemente d'accordo,completamente d'accordo,molto d'accordo,totalmente d'accordo,del tutto d'accordo
per niente d'accordo,per nulla d'accordo | poco d'accordo | abbastanza d'accordo | molto d'accordo,del tutto d'accordo
frequency it
mai | raramente,quasi mai | a volte,qualche volta,talvolta | spesso,quasi sempre | sempre,molto spesso
satisfaction it
molto insoddisfatto,per niente soddisfatto,molto insoddisfatta | insoddisfatto,poco soddisfatto,insoddisfatta | né soddisfatto né insoddisfatto,neutrale,neutro,indifferente | soddisfatto,abbastanza soddisfatto,soddisfatta | molto soddisfatto,completamente soddisfatto,molto soddisfatta
likelihood it
molto improbabile,per niente probabile | improbabile,poco probabile | né probabile né improbabile,neutrale,forse | probabile,abbastanza probabile | molto probabile
importance it
per niente importante,per nulla importante | poco importante | moderatamente importante,mediamente importante,neutrale | importante,abbastanza importante | molto importante,estremamente importante
quality it
pessimo,molto scarso,molto cattivo,pessima | scarso,cattivo,insufficiente,scarsa | sufficiente,discreto,neutrale,discreta | buono,buona | ottimo,molto buono,eccellente,ottima
extent it
per niente,per nulla | poco,un po' | moderatamente,mediamente | abbastanza,molto | moltissimo,estremamente,del tutto
yes/no it
no | sì

agreement nl
helemaal mee oneens,zeer mee oneens,helemaal niet mee eens,zeer oneens,helemaal oneens,volledig oneens | mee oneens,oneens,niet mee eens,enigszins mee oneens | niet mee eens niet mee oneens,noch mee eens noch mee oneens,neutraal,niet eens niet oneens,noch eens noch oneens,niet mee eens en niet mee oneens | mee eens,eens,enigszins mee eens | helemaal mee eens,zeer mee eens,zeer eens,helemaal eens,volledig eens
helemaal mee oneens,zeer mee oneens,helemaal oneens | mee oneens,oneens | mee eens,eens | helemaal mee eens,zeer mee eens,helemaal eens
frequency nl
nooit | zelden,bijna nooit | soms,af en toe | vaak,meestal,regelmatig | altijd,zeer vaak
satisfaction nl
zeer ontevreden,helemaal niet tevreden,erg ontevreden | ontevreden | niet tevreden niet ontevreden,neutraal,noch tevreden noch ontevreden,niet tevreden en niet ontevreden | tevreden | zeer tevreden,erg tevreden
likelihood nl
zeer onwaarschijnlijk | onwaarschijnlijk | neutraal,misschien,niet waarschijnlijk niet onwaarschijnlijk | waarschijnlijk | zeer waarschijnlijk
importance nl
helemaal niet belangrijk,zeer onbelangrijk,onbelangrijk | niet belangrijk,onbelangrijk,weinig belangrijk | neutraal,enigszins belangrijk,redelijk belangrijk | belangrijk | zeer belangrijk,erg belangrijk
quality nl
zeer slecht | slecht | matig,redelijk,neutraal,voldoende | goed | zeer goed,uitstekend
extent nl
helemaal niet | een beetje,weinig,nauwelijks | enigszins,matig | behoorlijk,veel,nogal | heel erg,zeer,extreem,helemaal
yes/no nl
nee | ja

agreement pl
zdecydowanie się nie zgadzam,zupełnie się nie zgadzam,całkowicie się nie zgadzam,zdecydowanie nie zgadzam się | nie zgadzam się,raczej się nie zgadzam,raczej nie zgadzam się | ani się zgadzam ani się nie zgadzam,nie mam zdania,trudno powiedzieć,ani tak ani nie,neutralnie | zgadzam się,raczej się zgadzam,raczej zgadzam się | zdecydowanie się zgadzam,całkowicie się zgadzam,w pełni się zgadzam,zdecydowanie zgadzam się
zdecydowanie nie | raczej nie | trudno powiedzieć,ani tak ani nie,nie wiem | raczej tak | zdecydowanie tak
zdecydowanie nie | raczej nie | raczej tak | zdecydowanie tak
frequency pl
nigdy | rzadko,prawie nigdy | czasami,czasem,od czasu do czasu | często,zazwyczaj | zawsze,bardzo często
satisfaction pl
bardzo niezadowolony,bardzo niezadowolona,zdecydowanie niezadowolony | niezadowolony,raczej niezadowolony,niezadowolona | ani zadowolony ani niezadowolony,neutralnie,ani zadowolona ani niezadowolona | zadowolony,raczej zadowolony,zadowolona | bardzo zadowolony,zdecydowanie zadowolony,bardzo zadowolona
likelihood pl
bardzo mało prawdopodobne | mało prawdopodobne,nieprawdopodobne | ani prawdopodobne ani nieprawdopodobne,neutralnie,być może | prawdopodobne | bardzo prawdopodobne
importance pl
zupełnie nieważne,w ogóle nieważne,bardzo nieważne | mało ważne,nieważne,raczej nieważne | średnio ważne,neutralne,umiarkowanie ważne | ważne,raczej ważne | bardzo ważne
quality pl
bardzo złe,bardzo zła,bardzo zły,bardzo źle | złe,zła,zły,źle | przeciętne,przeciętna,przeciętny,średnio,przeciętnie | dobre,dobra,dobry,dobrze | bardzo dobre,bardzo dobra,bardzo dobry,bardzo dobrze
extent pl
wcale,w ogóle | trochę,mało,w małym stopniu | umiarkowanie,średnio,w średnim stopniu | dość,w dużym stopniu | bardzo,niezwykle,w bardzo dużym stopniu
yes/no pl
nie | tak
"""  # noqa: E501

_NO_ANSWER = """
don't know, dont know, do not know, i don't know, dk, dk/na, not applicable, n/a, na, n a, not sure, unsure, no answer, no response, refused,
prefer not to say, prefer not to answer, prefer not to disclose, decline to answer, unknown, no opinion, missing, other, skipped, no basis to judge, unfamiliar (n/a)
weiß nicht, weiss nicht, weiß ich nicht, keine angabe, k.a., k. a., keine antwort, kann ich nicht beurteilen, nicht zutreffend, möchte ich nicht beantworten, keine meinung, unbekannt
ne sait pas, je ne sais pas, nsp, sans réponse, pas de réponse, non applicable, sans objet, ne souhaite pas répondre, préfère ne pas répondre, sans opinion
no sé, no sabe, no contesta, ns/nc, nsnc, no aplica, no procede, prefiero no contestar, prefiero no decirlo, sin respuesta
não sei, não sabe, não se aplica, prefiro não responder, sem resposta, ns/nr, não respondeu
non so, non risponde, non applicabile, preferisco non rispondere, nessuna risposta
weet niet, weet ik niet, geen antwoord, niet van toepassing, n.v.t., nvt, wil ik niet zeggen, geen mening
nie wiem, nie dotyczy, brak odpowiedzi, odmowa odpowiedzi, trudno powiedzieć, wolę nie odpowiadać
"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Understood:
    """What words of a column count.

    Attributes
    ----------
    values : the number of each text, by the text as it stands in the data
    words : the words of 1, 2, ... in order, as they stand in the data or, where one does not occur, as the
        scale is known; empty where only some numbers have words
    name : which scale it is: "agreement, 5 points"; or "numbers beside words"
    full : whether ``words`` are the whole scale, and not only what occurs
    beside : the words beside numbers, (number, words), ascending
    """

    values: Mapping[str, float]
    words: tuple[str, ...]
    name: str
    full: bool = True
    beside: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Scale:
    family: str
    language: str
    places: tuple[tuple[str, ...], ...]  # each a place's words as written here, the first the usual one


def plain_words(text: str) -> str:
    """Return a text as scales are compared: without case, accents, punctuation and repeated blanks."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ł", "l").replace("Ł", "L"))
    plain = "".join(character for character in plain.casefold() if not unicodedata.combining(character))
    plain = re.sub(r"['’‘`´]", "'", plain)
    return " ".join(re.sub(r"[^\w']+", " ", plain).split())


@functools.cache
def _scales() -> tuple[tuple[_Scale, Mapping[str, int]], ...]:
    """Return all scales, each with the places of its words."""
    scales, family, language = [], "", ""
    for line in _SCALES.splitlines():
        if "|" not in line:
            family, _, language = line.rpartition(" ")
            continue
        places = tuple(tuple(word.strip() for word in place.split(",")) for place in line.split("|"))
        of_word: dict[str, int] = {}
        for place, words in enumerate(places):
            for word in words:
                of_word.setdefault(plain_words(word), place)
        scales.append((_Scale(family, language, places), of_word))
    return tuple(scales)


@functools.cache
def _no_answers() -> frozenset[str]:
    return frozenset(plain_words(text) for line in _NO_ANSWER.splitlines() for text in line.split(","))


def is_no_answer(text: str) -> bool:
    """Whether a text says in words that there is no answer: "Don't know", "keine Angabe"."""
    return plain_words(text) in _no_answers()


def _fitting(texts: Sequence[str]) -> list[tuple[_Scale, dict[str, int]]]:
    """Return the scales that have all of ``texts``, with the place of each; one text a place."""
    plain = {text: plain_words(text) for text in texts}
    fitting = []
    for scale, of_word in _scales():
        if not all(words in of_word for words in plain.values()):
            continue
        places = {text: of_word[words] for text, words in plain.items()}
        by_place: dict[int, set[str]] = {}
        for text, place in places.items():
            by_place.setdefault(place, set()).add(plain[text])
        if all(len(words) == 1 for words in by_place.values()):
            fitting.append((scale, places))
    return fitting


def scale_of(texts: Sequence[str], answers: int) -> Understood | None:
    """Return what the distinct texts of a column count; None: they are no known scale, or of several.

    Parameters
    ----------
    answers : how many cells of the column have one of them
    """
    fitting = _fitting(texts)
    whole = [(scale, places) for scale, places in fitting if len(set(places.values())) == len(scale.places)]
    longer = [scale for scale, _ in fitting if all(len(scale.places) > len(one.places) for one, _ in whole)]
    if whole and (answers >= MANY or len(whole[0][0].places) % 2 or not longer):
        fitting = whole
    counts = {(len(scale.places), tuple(sorted(places.items()))) for scale, places in fitting}
    if len(counts) != 1 or not texts:
        return None
    scale, places = fitting[0]
    return _understood(scale, places)


def suggested(texts: Sequence[str]) -> Understood | None:
    """Return what ``texts`` count at a guess, for a person to check: the shortest scale that has them all."""
    fitting = _fitting(texts)
    if not fitting:
        return None
    scale, places = min(fitting, key=lambda one: len(one[0].places))
    return _understood(scale, places)


def _understood(scale: _Scale, places: Mapping[str, int]) -> Understood:
    words = [place[0][:1].upper() + place[0][1:] for place in scale.places]
    for text, place in places.items():
        words[place] = text
    values = {text: float(place + 1) for text, place in places.items()}
    return Understood(values, tuple(words), f"{scale.family}, {len(words)} points")


_BEFORE = re.compile(r"\(?(-?\d{1,2})(?:\)\s*[:=.]?|\s*[:=.]|\s*[-–—]\s)\s*(\D.*)", re.DOTALL)
_BEHIND = re.compile(r"(\D.*?)\s*[(\[](-?\d{1,2})[)\]]", re.DOTALL)
_ALONE = re.compile(r"\(?(-?\d{1,2})\)?")


def numbers_beside_words(texts: Sequence[str]) -> Understood | None:
    """Return what texts as ``5 - Strongly agree``, ``(7)``, ``7 = very much`` and ``very good (1)`` count.

    All of them have a number of -10..10, no number has two words, and one of them has words or parentheses.
    """
    values: dict[str, float] = {}
    words: dict[float, str] = {}
    beside: dict[float, str] = {}
    for text in texts:
        alone, before, behind = _ALONE.fullmatch(text), _BEFORE.fullmatch(text), _BEHIND.fullmatch(text)
        if alone is not None:
            number, word = alone[1], ""
        elif before is not None:
            number, word = before[1], before[2]
        elif behind is not None:
            number, word = behind[2], behind[1]
        else:
            return None
        value = float(number)
        if abs(value) > 10 or (word and not any(character.isalpha() for character in word)):
            return None
        values[text] = value
        if word:
            beside[value] = word.strip()
        if text != number:
            if plain_words(words.get(value, text)) != plain_words(text):
                return None
            words[value] = text
    if not words or len(set(values.values())) < len({plain_words(text) for text in values}):
        return None
    top = max(values.values())
    whole = set(words) == {float(number) for number in range(1, int(top) + 1)}
    named = tuple(words[float(number)] for number in range(1, int(top) + 1)) if whole else ()
    return Understood(values, named, "numbers beside words", False, tuple(sorted(beside.items())))


def labelled(texts: Sequence[str], labels: Sequence[str]) -> Understood | None:
    """Return what ``texts`` count where ``labels`` are the words of 1, 2, ...; None: one is none of them.

    A text is a label as it stands, or without regard to case and punctuation where that leaves no doubt, or
    the number of one.
    """
    exact = {label: place for place, label in enumerate(labels, start=1)}
    alike: dict[str, set[int]] = {}
    for label, place in exact.items():
        alike.setdefault(plain_words(label), set()).add(place)
    values = {}
    for text in texts:
        places = {exact[text]} if text in exact else alike.get(plain_words(text), set())
        if not places and _ALONE.fullmatch(text) and 1 <= int(text.strip("()")) <= len(labels):
            places = {int(text.strip("()"))}
        if len(places) != 1:
            return None
        values[text] = float(places.pop())
    return Understood(values, tuple(labels), f"{len(labels)} labels")
