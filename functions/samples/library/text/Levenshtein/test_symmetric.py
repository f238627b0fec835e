for a, b in (("flaw", "lawn"), ("", "x"), ("Sunday", "Saturday")):
    distance = Levenshtein(a, b)
    log(f"{a!r} to {b!r}: {distance}")
    assert distance == Levenshtein(b, a)
