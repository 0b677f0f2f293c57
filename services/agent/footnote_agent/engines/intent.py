"""What kind of message this is, by rules: only knowledge needs evidence (spec 5.7, docs/adr/0098)."""

import re
from typing import Literal

Intent = Literal["knowledge", "chitchat", "command"]

_LONGEST = 160
"""Characters of a courtesy or an order at most. Longer text is content."""

# One that begins like another one stands before it: what was matched is not tried again otherwise.
_COURTESIES = (
    "hi",
    "hello",
    "hey",
    "hiya",
    "howdy",
    "greetings",
    "good (?:morning|afternoon|evening|day|night)",
    "thank you",
    "(?:many )?thanks?",
    "thx",
    "cheers",
    "bye",
    "goodbye",
    "see you",
    "have a (?:nice|good|great) (?:day|evening|weekend)",
    "ok(?:ay)?",
    "al(?:l )?right",
    "great",
    "awesome",
    "cool",
    "nice",
    "super",
    "perfect",
    "good job",
    "well done",
    "no worries",
    "sorry",
    "lol",
    "got it",
    "how are you(?: doing)?",
    "how(?:'|’)?s it going",
    "what(?:'|’)?s up",
    "who are you",
    "what are you",
    "what can you do",
    "what(?:'|’)?s your name",
    "are you a (?:ro)?bot",
    # German
    "hallo",
    "moin",
    "servus",
    "guten (?:tag|morgen|abend)",
    "gute nacht",
    "(?:vielen |besten |herzlichen )?dank",
    "danke(?: ?(?:schön|sehr|dir|ihnen))?",
    "tschüss",
    "auf wiedersehen",
    "alles klar",
    "wie geht(?:(?:'|’)?s| es)(?: dir| ihnen)?",
    "wer bist du",
    "was kannst du",
    # French
    "bonjour",
    "bonsoir",
    "salut",
    "merci(?: beaucoup| bien)?",
    "au revoir",
    "(?:comment )?[çc]a va",
    # Spanish and Portuguese
    "hola",
    "buen(?:os días|as tardes|as noches)",
    "(?:muchas )?gracias",
    "adiós",
    "(?:¿ ?)?cómo estás",
    "olá",
    "bom dia",
    "obrigad[oa]",
    # Italian
    "ciao",
    "buon(?:giorno|asera)",
    "grazie(?: mille)?",
    "arrivederci",
    # Dutch, the languages of Scandinavia, Polish
    "bedankt",
    "dank je(?: wel)?",
    "hoe gaat het",
    "hej",
    "tack(?: så mycket)?",
    "tak(?:k)?",
    "dzień dobry",
    "cześć",
    "dzięk(?:uję|i)",
    # Russian, Chinese and Japanese
    "привет",
    "здравствуйте",
    "спасибо",
    "你好",
    "谢谢",
    "再见",
    "こんにちは",
    "ありがとう(?:ございます)?",
    "[👋👍🙏😀🙂😊]\ufe0f?",
    r"[:;]-?\)",
)
_TRIMMINGS = (
    "there",
    "all",
    "everyone",
    "again",
    "so much",
    "very much",
    "a lot",
    "today",
    "tomorrow",
    "then",
    "footnote",
    "zusammen",
)
_ORDERS = (
    "translate",
    "rephrase",
    "reword",
    "rewrite",
    "shorten",
    "simplify",
    "expand",
    "repeat",
    "reformat",
    "summari[sz]e",
    "put",
    "turn",
    "say",
    "make",
    "format",
)
_EARLIER_ANSWERS = (
    "that",
    "this",
    "it",
    "your (?:last )?(?:answer|reply|response)",
    "the (?:last|previous|above) (?:answer|reply|response)",
)
_MANNERS = (
    "again",
    "shorter",
    "longer",
    "simpler",
    "more simply",
    "(?:in|into|as|to) .{1,40}",
)
_LANGUAGES = (
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "englisch",
    "deutsch",
    "französisch",
    "spanisch",
    "italienisch",
    "anglais",
    "allemand",
    "français",
)
_FORMS = (
    "a (?:table|list|poem|letter)",
    "bullet points",
    "an e-?mail",
    "tabelle",
    "liste",
    "stichpunkte",
    "e-?mail",
)
_BARE_ORDERS = (
    "shorter",
    "longer",
    "simpler",
    "more (?:formal|simply|detail)",
    "continue",
    "go on",
    "keep going",
    "(?:try )?again",
    "one more time",
    "(?:explain|write) (?:that|it)(?: more simply| shorter| again)?",
    "write (?:that|it) as {form}",
    "summari[sz]e (?:this|our) (?:conversation|chat)",
    "(?:in|auf|en) {language}",
    "(?:as|als) {form}",
    # German
    "(?:kürzer|länger|einfacher)",
    "noch ?(?:ein)?mal",
    "(?:mach )?weiter",
    "fasse? (?:dich kürzer|das (?:kürzer|kurz )?zusammen)",
    "(?:formuliere?|schreibe?|wiederhole?|übersetze?|kürze?) (?:das|es)"
    "(?: (?:einfacher|kürzer|noch ?(?:ein)?mal|als {form}|auf {language}|ins {language}e))?",
    # French, Spanish and Italian
    "plus (?:court|long|simple)",
    "(?:encore|continue|répète)",
    "tradui[st] (?:ça|cela)(?: en {language})?",
    "más (?:corto|largo|sencillo)",
    "(?:otra vez|continúa|repítelo)",
    "tradúcelo(?: al (?:inglés|alemán|francés|español))?",
    "più (?:breve|lungo|semplice)",
    "(?:ancora|continua|ripeti)",
)
_PLEASE = ("please", "bitte", "por favor", "per favore", "s(?:'|’)il (?:te|vous) pla[iî]t", "stp", "svp")


def _any_of(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(words)})"


_COURTESY = re.compile(
    rf"{_any_of(_COURTESIES)}(?:,? {_any_of(_TRIMMINGS)}){{0,2}}(?:[\s,.!?¡¿。！？]++|$)", re.IGNORECASE
)
_COMMAND = re.compile(
    rf"(?:please )?(?:(?:can|could|would) you )?(?:please )?{_any_of(_ORDERS)}\b"
    rf".{{0,60}}?\b{_any_of(_EARLIER_ANSWERS)}\b(?: {_any_of(_MANNERS)})?[\s.!?]*",
    re.IGNORECASE,
)
_BARE = _any_of(_BARE_ORDERS).replace("{form}", _any_of(_FORMS)).replace("{language}", _any_of(_LANGUAGES))
_BARE_COMMAND = re.compile(
    rf"(?:{_any_of(_PLEASE)} )?{_BARE}(?:,? {_any_of(_PLEASE)})?[\s.!?]*", re.IGNORECASE
)


def intent_of(text: str, *, has_history: bool) -> Intent:
    """`chitchat` for mere courtesies, `command` for work on the last answer, else `knowledge`.

    When in doubt, it is knowledge: a needless search costs less than an answer without evidence.
    """
    stripped = " ".join(text.split())
    if len(stripped) > _LONGEST:
        return "knowledge"
    if _is_courtesy(stripped.lstrip("¡¿")):
        return "chitchat"
    if has_history and (_COMMAND.fullmatch(stripped) or _BARE_COMMAND.fullmatch(stripped)):
        return "command"
    return "knowledge"


def _is_courtesy(text: str) -> bool:
    """Whether it is courtesies from its beginning to its end, one after the other."""
    at = 0
    while found := _COURTESY.match(text, at):
        at = found.end()
        if at == len(text):
            return True
    return False
