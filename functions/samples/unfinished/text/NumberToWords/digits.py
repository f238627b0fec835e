ONES = "zero one two three four five six seven eight nine".split()
TENS = "- ten twenty thirty forty fifty sixty seventy eighty ninety".split()


def NumberToWords(n):
    if not 0 <= n <= 999:
        raise ValueError(f"{n} is not between 0 and 999")
    if n < 10:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")
    rest = f" and {NumberToWords(n % 100)}" if n % 100 else ""
    return f"{ONES[n // 100]} hundred{rest}"
