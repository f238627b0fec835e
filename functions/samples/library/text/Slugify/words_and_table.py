# <<Words>> without their apostrophes, letters replaced by this table.
ACCENTED = "àáâãåçèéêëìíîïñòóôõøùúûýÿ"
PLAIN = "aaaaaceeeeiiiinooooouuuyy"
REPLACEMENTS = str.maketrans(
    dict(zip(ACCENTED, PLAIN))
    | {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "æ": "ae",
        "'": "",
        "\u2019": "",
    }
)


def Slugify(text):
    slugs = []
    for word in Words(text.lower()):
        ascii_only = word.translate(REPLACEMENTS).encode("ascii", "ignore")
        if ascii_only:
            slugs.append(ascii_only.decode("ascii"))
    return "-".join(slugs)
