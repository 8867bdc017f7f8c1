"""Names of columns that are no ratings: direct identifiers, paradata, and attributes of persons.

Dictionaries in eight languages, in the spirit of PostgreSQL Anonymizer's ``anon.detect`` (names by language,
by the categories of HIPAA) and of the lists of identifying survey variables of the World Bank and J-PAL, with
the names that survey tools give their own columns. A name is compared by whole words, without case, accents
and numbers; words that only introduce a question ("what is your ...") are left out; of an attribute
also words on how it was asked or prepared (``age at survey``, ``Age Fixed``, ``gender code``). So
``RecipientEmail`` is an e-mail address, and ``date_night_quality``, ``age_discrimination`` and ``weighty``
are nothing.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Sense", "is_of_one_person", "sense_of"]


@dataclass(frozen=True, slots=True)
class Sense:
    """What a name says.

    Attributes
    ----------
    category : in words, as "an e-mail address"
    role : identifier, drop or quasi
    always : whether small whole numbers may be one too: an id may be 1, 2, 3, a telephone number may not
    """

    category: str
    role: str
    always: bool = False


# The category, its role, and its names: words of all languages, an entry a name, words joined.
_IDENTIFIERS = {
    "an id": """
        id ids pid uid uuid guid respid respondentid responseid responsid answerid submissionid entryid
        participantid participantcode subjid subjectid subjectcode caseid casenumber caseno recordid userid
        username loginid login accountid accountnumber account customerid customernumber clientid
        clientnumber
        employeeid employeenumber staffid staffnumber studentid studentnumber studentno matriculationnumber
        patientid patientnumber mrn medicalrecordnumber healthplannumber memberid membershipnumber panelid
        panelistid workerid mturkid mturkcode prolificid prolificpid rid psid pseudonym token sessionid
        session
        deviceid imei imsi macaddress advertisingid idfa gaid cookie cookieid visitorid collectorid
        assignmentid
        hitid externalreference externaldatareference barcode serialnumber licensenumber licenceplate
        licenseplate vehicleid vin householdid hhid personid individualid enumeratorid interviewerid
        surveyorid
        ssn socialsecuritynumber socialsecurity nationalid nationalinsurancenumber passport passportnumber
        taxid taxnumber driverslicense driverslicence driverlicense insurancenumber iban bic bankaccount
        accountiban creditcard creditcardnumber cardnumber
        antwortid teilnehmerid teilnehmernummer probandennummer probandencode versuchspersonennummer
        vpnummer
        vpcode kennung benutzername kundennummer personalnummer mitarbeiternummer matrikelnummer matrikelnr
        patientennummer versichertennummer versicherungsnummer sozialversicherungsnummer steuernummer
        steueridentifikationsnummer steuerid ausweisnummer personalausweisnummer reisepassnummer kontonummer
        kfzkennzeichen fallnummer fallnr laufnummer laufendenummer mitgliedsnummer
        identifiant idreponse identifiantrepondant numeroetudiant numeropatient numeroclient numerosecu
        numerosecuritesociale securitesociale nir numerodossier numerofiscal numeropasseport matricule
        identificador idrespuesta idparticipante numerodeidentificacion dni nie nif cedula curp rfc rut
        numerodecliente numerodeseguridadsocial numerodepasaporte matricula expediente
        idresposta cpf cnpj rg numerodeidentificacao numerodoprontuario prontuario
        identificativo idrisposta codicefiscale codicepaziente codicecliente codicestudente numerodicarta
        numerodipassaporto partitaiva
        antwoordid respondentnummer deelnemernummer klantnummer studentnummer personeelsnummer
        patientnummer burgerservicenummer bsn rijksregisternummer rekeningnummer paspoortnummer
        identyfikator idodpowiedzi numerankiety numerklienta numerpacjenta numerindeksu numeralbumu
        pesel nip
        numerdowodu numerpaszportu numerkonta
    """,
    "a name": """
        name fullname firstname forename givenname lastname surname familyname middlename maidenname
        nickname
        initials firstandlastname nameandsurname recipientfirstname recipientlastname signature
        vorname nachname familienname zuname vollername vorundnachname geburtsname spitzname
        nom prenom nomdefamille nometprenom prenometnom nomcomplet
        nombre nombres apellido apellidos nombrecompleto nombreyapellido nombreyapellidos
        nome nomecompleto sobrenome apelido nomeesobrenome
        cognome nomeecognome nomecognome
        naam voornaam achternaam familienaam volledigenaam voorenachternaam
        imie nazwisko imieinazwisko imienazwisko
    """,
    "an e-mail address": """
        email mail emailaddress mailaddress mailadresse emailadresse emailid contactemail recipientemail
        adressemail adresseemail courriel adressecourriel
        correo correoelectronico direcciondecorreo direcciondecorreoelectronico emaildecontacto
        enderecodeemail correioeletronico correioeletronica
        indirizzoemail indirizzomail postaelettronica
        emailadres mailadres
        adresemail adresmail poczta pocztaelektroniczna
    """,
    "a telephone number": """
        phone phonenumber telephone telephonenumber tel telno telnr telnumber mobile mobilenumber
        mobilephone
        mobileno cell cellphone cellphonenumber cellnumber landline fax faxnumber homephone workphone
        whatsapp
        whatsappnumber contactnumber contactno msisdn
        telefon telefonnummer telefonnr handy handynummer handynr mobiltelefon mobilnummer festnetz
        festnetznummer faxnummer rufnummer
        telephoneportable numerodetelephone numtel portable telephonemobile
        telefono numerodetelefono movil celular numerodecelular telefonomovil
        telefone numerodetelefone telemovel
        numeroditelefono cellulare numerodicellulare
        telefoon telefoonnummer mobielnummer gsm gsmnummer
        numertelefonu telefonkomorkowy komorka nrtelefonu
    """,
    "an address": """
        address homeaddress streetaddress mailingaddress postaladdress workaddress street streetname
        housenumber apartment addressline postbox pobox
        adresse anschrift wohnadresse strasse hausnummer strasseundhausnummer postanschrift wohnort
        adressepostale rue domicile
        direccion domicilio calle direccionpostal
        endereco rua morada logradouro
        indirizzo via residenza
        adres straat huisnummer straatnaam woonplaats
        ulica adreszamieszkania numerdomu
    """,
    "a postal code": """
        zip zipcode postcode postalcode plz postleitzahl codepostal codigopostal cep codigodepostal cap
        codicepostale postcodes kodpocztowy
    """,
    "a network address": """
        ip ipaddress ipaddr ipadresse ipadress adresseip direccionip enderecoip indirizzoip ipadres adresip
        useragent url refurl referer referrer hostname macadresse
    """,
    "a location": """
        lat latitude lon lng long longitude latlon latlong latlng coordinates coordinate gps gpslatitude
        gpslongitude gpslocation gpscoordinates geolocation geo locationlatitude locationlongitude
        gpsaltitude gpsaccuracy altitude
        breitengrad langengrad geographischebreite geographischelange koordinaten
        coordonnees latitud longitud coordenadas latitudine longitudine coordinate coordinaten breedtegraad
        lengtegraad szerokoscgeograficzna dlugoscgeograficzna wspolrzedne
    """,
    "a date of birth": """
        dateofbirth birthdate birthday dob dayofbirth geburtsdatum geburtstag datedenaissance
        fechadenacimiento
        datadenascimento datadinascita geboortedatum dataurodzenia
    """,
    "free text": """
        comment comments remark remarks feedback othercomments additionalcomments openanswer opentext
        freetext
        essay other otherspecify pleasespecify specify otherpleasespecify
        kommentar kommentare anmerkung anmerkungen bemerkung bemerkungen freitext sonstiges
        commentaire commentaires remarques autre autreprecisez precisez
        comentario comentarios observaciones otro otra especifique
        observacoes outro outra
        commento commenti osservazioni altro specificare
        opmerking opmerkingen anders toelichting
        komentarz komentarze uwagi inne
    """,
}  # fmt: skip

_LEFT_OUT = {
    "a date or time": """
        date datetime timestamp time day startdate enddate starttime endtime recordeddate recordedtime
        submitdate submittedat submissiondate submissiontime datesubmitted datestamp startdatestamp
        createdat
        updatedat completedat startedat finishedat lastactivitydate surveydate interviewdate interviewtime
        datecreated datemodified dateadded admissiondate dischargedate visitdate
        datum uhrzeit zeit zeitstempel zeitpunkt anfangsdatum enddatum startdatum startzeit endzeit
        erfassungsdatum erhebungsdatum abgabedatum ausfulldatum befragungsdatum
        heure horodatage horodateur datededebut datedefin datedesoumission dateenregistrement
        fecha hora marcatemporal fechadeinicio fechadefin fechainicio fechafin
        data carimbodedatahora datadeinicio datadefim
        informazionicronologiche ora datadiinizio datadifine
        tijdstempel tijd begindatum einddatum
        sygnaturaczasowa czas godzina datarozpoczecia datazakonczenia
    """,
    "a duration": """
        duration durationseconds durationinseconds elapsedtime timespent timetaken timetocomplete totaltime
        interviewduration interviewlength interviewtime completiontime responsetime secondstocomplete
        pagesubmit firstclick lastclick clickcount lasttouched
        dauer dauersekunden dauerinsekunden bearbeitungszeit bearbeitungsdauer interviewdauer antwortzeit
        duree dureesecondes dureeensecondes tempspasse
        duracion duracionsegundos duracionensegundos tiempo tiempototal
        duracao tempo tempototal durata duratasecondi tempoimpiegato duur tijdsduur czastrwania
    """,
    "a survey weight": """
        weight weights wt wgt wght surveyweight sampleweight samplingweight designweight
        poststratificationweight
        finalweight fweight pweight pweights fpc psu strata stratum clusterid
        gewicht gewichtung gewichtungsfaktor
        ponderation poids coefficient ponderacion fattoreponderazione factordeponderacion fatordeponderacao
        pesocampionario pesodeamostra weegfactor weging waga
    """,
    "a row number": """
        index rownumber rownum rowid rownr row no nr num number sno serialno seq sequence obs
        observation lfd lfdnr
        zeile zeilennummer ligne numligne fila riga rij wiersz lp unnamed
    """,
    "a setting of the survey tool": """
        status progress finished distributionchannel userlanguage startlanguage lastpage seed channel
        browser
        operatingsystem os device devicetype resolution screenresolution version collector
        antworttyp aktuellerstand beendet verteilungskanal benutzersprache
    """,
}  # fmt: skip

_ATTRIBUTES = {
    "an attribute of persons": """
        age ageyears agegroup agerange agebracket agecategory agecat ppage howold yearofbirth birthyear yob
        sex gender genderidentity sexualorientation race ethnicity ethnicgroup raceethnicity nationality
        citizenship countryofbirth country countryofresidence state province region county district city
        town
        municipality locality village neighborhood neighbourhood locationcensusregion censusregion
        urbanrural
        education educ educationlevel educationallevel highestdegree degree highesteducation schooling
        occupation job jobtitle profession employment employmentstatus industry department position rank
        income incomecat householdincome salary wage earnings annualincome
        maritalstatus marital married relationshipstatus children numberofchildren householdsize haschildren
        religion politicalparty partyid party language nativelanguage mothertongue handedness hand
        school class classroom grade cohort faculty major fieldofstudy semester yearofstudy
        height weightkg bmi disability veteran voter votercategory engnat
        tenure jobtenure seniority lengthofservice yearsofservice yearsofexperience yearsatcompany
        yearsemployed workexperience
        diagnosis diagnoses primarydiagnosis diag icd comorbidity comorbidities bloodtype bloodgroup smoker
        postaldistrict postalarea postalsector schooldistrict homedistrict suburb borough
        ethnicbackground ethnicorigin ageonset agediagnosis countryname birthcountry birthplace placeofbirth
        birthcohort yearborn jobtype jobrole jobgrade paygrade payband coursecode studyprogram
        studyprogramme yeargroup
        alter altersgruppe altersklasse geburtsjahr jahrgang geschlecht nationalitat staatsangehorigkeit
        herkunft
        geburtsland land bundesland kanton ort stadt gemeinde landkreis kreis bildung bildungsabschluss
        schulabschluss beruf berufstatigkeit tatigkeit abteilung einkommen haushaltseinkommen gehalt
        familienstand
        kinder haushaltsgrosse religion konfession muttersprache schule klasse fakultat studiengang
        fachsemester betriebszugehorigkeit dienstjahre berufserfahrung diagnose postleitzahlbezirk stadtteil
        bezirk
        trancheage anneedenaissance sexe genre nationalite pays departement ville commune etudes
        niveaudetudes
        niveaudeducation diplome metier emploi revenu revenus salaire situationfamiliale etatcivil enfants
        anciennete diagnostic quartier arrondissement
        edad grupodeedad anodenacimiento sexo genero nacionalidad pais provincia comunidadautonoma
        ciudad municipio
        estudios niveldeestudios niveleducativo ocupacion profesion ingresos salario estadocivil hijos
        antiguedad diagnostico barrio distrito
        idade faixaetaria anodenascimento nacionalidade estado cidade escolaridade ocupacao profissao renda
        rendimento filhos bairro
        eta fasciadieta annodinascita sesso nazionalita paese regione citta comune istruzione titolodistudio
        professione lavoro reddito stipendio statocivile figli anzianita diagnosi quartiere
        leeftijd leeftijdsgroep geboortejaar geslacht nationaliteit provincie stad gemeente opleiding
        opleidingsniveau beroep inkomen salaris burgerlijkestaat kinderen dienstjaren wijk
        wiek grupawiekowa rokurodzenia plec narodowosc kraj wojewodztwo miasto miejscowosc wyksztalcenie
        zawod
        dochod zarobki stancywilny dzieci staz diagnoza dzielnica
    """,
}  # fmt: skip

_TAILS = frozenset((
    "id", "ids", "pid", "uid", "uuid", "guid", "identifier", "kennung", "identifiant", "identificador",
    "identificativo", "identyfikator",
))  # fmt: skip
"""Last words that make an id of whatever stands before them: ``panel_id``."""

_INTRODUCE = frozenset(
    """
    a an the what whats which is are your you my our please enter provide give type write indicate select
    state tell us me kindly in to of for and at or
    respondent respondents recipient recipients participant participants subject user users customer client
    employee student patient person contact home work primary current own
    was wie ist sind lautet deine dein ihr ihre ihren bitte geben gib nennen sie ein an der die das dem des
    welche welches welcher ihrer
    quel quelle quels quelles est sont votre vos veuillez indiquer saisir entrer s il vous plait le la les l
    de du des
    cual cuales es su sus tu tus por favor introduzca indique escriba el los las del
    qual quais e seu sua seus suas o os as do da digite informe insira
    il lo gli i tuo tua vostro vostra suo inserisci indica indicare per favore di
    wat uw je jouw alstublieft vul van het een
    jaki jaka jakie jest twoj twoja twoje panstwa pana pani prosze podac podaj
    """.split()  # noqa: SIM905
)
_ASKED = frozenset(
    """
    survey interview baseline followup follow up wave time enrolment enrollment entry admission intake
    registration completion test measurement fixed corrected clean cleaned raw original final new old
    edited derived computed calculated imputed recode recoded rec coded code codes category categories cat
    cats group groups grouped grp bracket brackets band bands binned bin bins range ranges class classes level
    levels lvl status type label labels num numeric number int integer dummy binary value val var variable
    q item self reported full exact approx approximate last birthday date today now yrs
    kodiert codiert codierung kodierung gruppe gruppen gruppiert klassen kategorie kategorien korrigiert
    bereinigt bei zur zum zeitpunkt befragung umfrage erhebung aufnahme numerisch
    code codee groupe categorie tranche corrige corrigee au moment enquete sondage entretien
    codigo codificado codificada grupo rango corregido corregida al momento encuesta
    codificacao faixa categoria corrigido corrigida pesquisa inquerito no
    codice codificato codificata gruppo fascia corretto corretta momento indagine questionario
    gecodeerd groep categorie gecorrigeerd enquete onderzoek
    kod kodowany grupa kategoria poprawiony ankiety badania w chwili
    """.split()  # noqa: SIM905
)
"""Words beside an attribute that say how it was asked, coded or put right, and leave it one."""

_MOST_WORDS = 10
_MOST_LEFT = 4  # words that introduce nothing

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_UNSPLIT = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "æ": "ae", "ı": "i"})
_UNITS = frozenset((
    "seconds", "secs", "sec", "minutes", "mins", "min", "ms", "s", "years", "year", "kg", "cm", "sekunden",
    "minuten", "jahre", "jahren", "secondes", "segundos", "secondi", "anos", "anni", "jaar", "lat",
    "months", "month", "days", "monate", "monaten", "mois", "meses", "mesi", "maanden", "ans",
))  # fmt: skip


def _dictionary() -> dict[str, Sense]:
    known: dict[str, Sense] = {}
    for role, categories in (("quasi", _ATTRIBUTES), ("drop", _LEFT_OUT), ("identifier", _IDENTIFIERS)):
        for category, names in categories.items():
            always = category == "an id"
            known.update(dict.fromkeys(names.split(), Sense(category, role, always)))
    return known


_KNOWN = _dictionary()


@functools.lru_cache(maxsize=1 << 12)
def sense_of(name: str) -> Sense | None:
    """Return what a column's name says that it is, if that is something else than a rating; else None."""
    if len(name) > 200:
        return None
    words = _words(name)
    if not words or len(words) > _MOST_WORDS + 6:
        return None
    found = _KNOWN.get("".join(words))
    if found is not None:
        return found
    if len(words) > 1 and words[-1] in _TAILS and len(words) <= 4:
        return _KNOWN["id"]
    left = [word for word in words if word not in _INTRODUCE and not word.isdigit()]
    if not left or len(left) > _MOST_LEFT:
        return None
    for some in (left, [word for word in left if word not in _UNITS]):
        if some and (found := _KNOWN.get("".join(some))) is not None:
            return found
    codes = {word for word, after in itertools.pairwise(words) if len(word) == 1 and after.isdigit()}
    if (found := _attribute([word for word in left if word not in codes])) is not None:  # D1_age
        return found
    if len(words) <= 4 and words[0].isdigit() is False and len(left) > 1 and left[-1] in _TAILS:
        return _KNOWN["id"]
    return None


def _attribute(words: list[str]) -> Sense | None:
    """Return the attribute that is left of a name without how it was asked or coded; None: none is."""
    for left_out in (_ASKED, _ASKED | _UNITS):
        found = _KNOWN.get("".join(word for word in words if word not in left_out))
        if found is not None and found.role == "quasi":
            return found
    return None


_ONE_PERSON = ("an id", "an e-mail address", "a telephone number")
_OF_MANY = frozenset((
    "household", "hh", "hhid", "family", "class", "school", "team", "group", "enumerator", "interviewer",
    "surveyor", "collector", "hit", "haushalt", "familie", "klasse", "schule", "menage", "hogar", "nucleo",
))  # fmt: skip
"""Words of ids that several persons share by design: ``household_id``."""


def is_of_one_person(name: str, values: Iterable[str]) -> bool:
    """Return whether what stands in a column of direct identifiers is one person's alone.

    An id of a person, an e-mail address, a telephone number, a full name; not a network address, a place, a
    first name or a comment, which people share. ``values`` are those of the column.
    """
    sense = sense_of(name)
    if sense is not None and sense.category in _ONE_PERSON:
        return _OF_MANY.isdisjoint(_words(name)) and "".join(_words(name)) not in _OF_MANY
    there = list(values)
    mark = " " if sense is not None and sense.category == "a name" else "@"
    return bool(there) and all(mark in value for value in there)


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case without accents, digits at their ends cut off."""
    plain = unicodedata.normalize("NFKD", name.translate(_UNSPLIT))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return [word.lower() for word in _WORD.findall(plain)]
