# Gather each letter with the accents that follow it, then turn round.
FIRST_ACCENT = "\u0300"
LAST_ACCENT = "\u036f"


def ReverseText(text):
    clusters = []
    for char in text:
        if clusters and FIRST_ACCENT <= char <= LAST_ACCENT:
            clusters[-1] += char
        else:
            clusters.append(char)
    return "".join(reversed(clusters))
