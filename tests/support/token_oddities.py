"""Texts that are no prose and yet common: empty fields, capitals, ids, rows of marks, words that no dictionary has."""

import random
from base64 import b32encode
from collections.abc import Callable, Iterator

_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_RUSSIAN = "Склад закроют на ремонт в среду, поэтому последние посылки надо забрать до вечера вторника. "
_UKRAINIAN = "Склад зачинять на ремонт у середу, тому останні посилки треба забрати до вечора вівторка. "
_GREEK_PROSE = "Η αποθήκη θα κλείσει την Τετάρτη για επισκευές και τα δέματα πρέπει να παραληφθούν ως την Τρίτη. "
_TURKISH = "DEPO ÇARŞAMBA GÜNÜ ONARIM İÇİN KAPANACAĞINDAN SON KOLİLERİN SALI AKŞAMINA KADAR ALINMASI GEREKİYOR. "
_POLISH = "MAGAZYN ZOSTANIE ZAMKNIĘTY W ŚRODĘ, DLATEGO OSTATNIE PACZKI TRZEBA ODEBRAĆ DO WTORKU WIECZOREM. "
_FINNISH = (
    "Varaston työntekijät huomasivat keskiviikkoaamuna, etteivät lähetykset olleet saapuneet toimipisteeseen. "
    "Kuljetusyhtiön asiakaspalvelija ilmoitti viivästyksen johtuvan lumimyrskystä, joka oli sulkenut maanteitä. "
)
_MEDICINES = ["ramipril", "metformin", "sertralin", "valsartan", "pregabalin", "bisoprolol"]
Line = Callable[[random.Random], str]


def _of(by: random.Random, letters: str, count: int) -> str:
    return "".join(by.choices(letters, k=count))


def _field(by: random.Random) -> str:
    return by.choice(["", "", "", str(by.randrange(10_000)), "ok"])


LINES: dict[str, Line] = {
    "empty fields by commas": lambda by: "," * 20,
    "few fields by commas": lambda by: (
        f"{by.randrange(200)},{by.choice(['Oslo', 'Rome'])},,,,,{by.randrange(99)}" + 20 * ","
    ),
    "half of the fields": lambda by: ",".join(_field(by) for _ in range(12)),
    "half of the fields by tabs": lambda by: "\t".join(_field(by) for _ in range(12)),
    "few fields by bars": lambda by: f"{by.randrange(200)}||||||{by.choice(['open', 'done'])}|||||||",
    "brackets that close": lambda by: "))))))}}}}",
    "rule": lambda by: "-" * by.randint(20, 70) + "\n\nnext part\n",
    "ends of lines of two chars": lambda by: "\r\n" * 20,
    "ids of small letters": lambda by: _of(by, _LATIN, 12),
    "words of no language": lambda by: " ".join(_of(by, _LATIN, by.randint(3, 9)) for _ in range(8)),
    "ids of capitals": lambda by: _of(by, _LATIN.upper(), 10),
    "base32": lambda by: b32encode(by.randbytes(20)).decode(),
    "cyrillic capitals by chance": lambda by: _of(by, _CYRILLIC.upper(), 10),
    "russian without blanks": lambda by: _RUSSIAN.replace(" ", ""),
    "russian in capitals": lambda by: _RUSSIAN.upper(),
    "ukrainian in capitals": lambda by: _UKRAINIAN.upper(),
    "greek in capitals": lambda by: _GREEK_PROSE.upper(),
    "greek without blanks": lambda by: _GREEK_PROSE.replace(" ", ""),
    "turkish in capitals": lambda by: _TURKISH,
    "polish in capitals": lambda by: _POLISH,
    "finnish": lambda by: _FINNISH,
}
STRANGE: dict[str, Line] = {
    "cyrillic ids": lambda by: _of(by, _CYRILLIC, 12),
    "greek ids": lambda by: _of(by, _GREEK, 10),
    "empty fields in quotes": lambda by: f'"","","","{by.randrange(999)}","",""',
    "rare names": lambda by: _of(by, _LATIN, 6).title() + "\t" + _of(by, _LATIN, 7).title(),
    "names of medicines": lambda by: by.choice(_MEDICINES),
    "marks by chance": lambda by: _of(by, "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~", 20),
}
"""What cannot be told from words or from code without a dictionary, so that the estimate is rougher."""


def token_oddities(lines: dict[str, Line]) -> Iterator[tuple[str, str]]:
    """A name and a text of 60 lines, the same every time."""
    for name, line in lines.items():
        by = random.Random(name)
        yield name, "".join(line(by) + "\n" for _ in range(60))
