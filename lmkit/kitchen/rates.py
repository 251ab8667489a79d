"""Every rate of the kitchen language: at each named place, the options and their weights.

Weights need not sum to one: they are normalised over the options that are possible at that moment.
"""


def _odds(yes: float) -> dict[str, float]:
    return {"yes": yes, "no": 1.0 - yes}


RATES: dict[str, dict[str, float]] = {
    # the document
    "close": _odds(0.18),
    "weather": _odds(0.5),
    "company": _odds(0.3),
    "tense": {"past": 0.22, "present": 0.78},
    "mood": {"good": 0.6, "bad": 0.4},
    "mood kept": _odds(0.94),
    "lead": {
        "none": 0.8,
        "soon": 0.05,
        "then": 0.05,
        "later": 0.03,
        "meanwhile": 0.02,
        "at": 0.03,
        "after": 0.02,
    },
    "sentence": {"guest": 0.45, "the": 0.48, "some": 0.03, "every": 0.02, "number": 0.02},
    "the": {"crowd": 0.56, "server": 0.27, "event": 0.13, "house": 0.02, "dish": 0.14},
    # people
    "new guest, 1 known": _odds(0.36),
    "new guest, 2 known": _odds(0.2),
    "apposition": {"none": 0.55, "(": 0.22, ",": 0.23},
    "role from": _odds(0.6),
    "role near": _odds(0.3),
    "subject": {"pronoun": 0.4, "first": 0.45, "title": 0.15},
    "object": {"first": 0.75, "title": 0.25},
    "surname of subject": _odds(0.25),
    "surname of object": _odds(0.4),
    "surname in closing": _odds(0.6),
    "pair": _odds(0.12),
    "manner": _odds(0.07),
    "people adjective": _odds(0.28),
    "people plural": _odds(0.5),
    "people located": _odds(0.38),
    "place adjective": _odds(0.25),
    "place plural": _odds(0.3),
    "clothes adjective": _odds(0.5),
    "clothes plural": _odds(0.5),
    # what guests do
    "guest does": {
        "order": 1.5,
        "judge dish": 0.8,
        "eat": 0.24,
        "cut": 0.22,
        "say": 0.14,
        "intend": 0.16,
        "modal": 0.05,
        "meet": 0.05,
        "believe": 0.09,
        "urge": 0.2,
        "take": 0.2,
        "return": 0.05,
        "reserve": 0.05,
        "have": 0.06,
        "move": 0.03,
    },
    "glass too": _odds(0.3),
    "fruit": {"a": 0.3, "an": 0.12, "the": 0.3, "some": 0.18, "those": 0.1},
    "fruit then": {"that": 0.45, "from": 0.34, "beside": 0.3, "with": 0.85, "stop": 0.12},
    "second companion": _odds(0.3),
    "believe that": {"the": 0.4, "plural": 0.25, "that one": 0.35},
    "urged": {"guest": 0.5, "people": 0.5},
    # direct speech
    "marks": {"“": 0.6, "«": 0.4},
    "speech": {"formula": 0.42, "want": 0.22, "can": 0.14, "please": 0.12, "dish": 0.3},
    "speech goes on": _odds(0.25),
    # the crowd
    "crowd then": {"with": 0.13, "place": 0.26, "clause": 0.55, "verb": 0.36},
    "relative": {"who": 0.6, "that": 0.4},
    "clause about": {"subject": 0.76, "object": 0.24},
    "clause object": {"the": 0.76, "that": 0.14, "those": 0.1},
    "clause again": _odds(0.15),
    "crowd does": {"be": 0.24, "verb": 0.64, "modal": 0.07, "have": 0.05},
    "be": {"state": 0.62, "simile": 0.38},
    "event then": {"be": 0.45, "verb": 0.55},
    # objects and adjuncts
    "infinitive": {"any": 0.94, "can": 0.06},
    "determiner": {"the": 0.66, "that": 0.12, "those": 0.07, "a": 0.15},
    "food adjective": _odds(0.25),
    "compound": _odds(0.62),
    "adjunct": {
        "none": 0.3,
        "phrase": 0.36,
        "time": 0.28,
        "place": 0.05,
        "adverb": 0.06,
        "pinch": 0.12,
    },
    "time then": {"stop": 0.5, "verb": 0.5},
    # service
    "served": {"guest first": 0.72, "dish first": 0.28},
    "dish owner": _odds(0.4),
    "second opinion": _odds(0.35),
}
