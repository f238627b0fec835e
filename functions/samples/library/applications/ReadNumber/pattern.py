import re

# Powers of ten only make sense up to what is converted, a hundred digits.
_NUMBER = re.compile(r"(?P<sign>[-+]?)(?P<whole>\d*)(?:[.,](?P<part>\d*))?(?:e(?P<power>[-+]?\d{1,3}))?", re.ASCII)
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII)
_LARGEST = 1e100


def ReadNumber(text):
    typed = "".join(text.replace("−", "-").replace("_", "").replace("'", "").replace("’", "").split()).lower()
    if not typed:
        raise ValueError("Type a number.")
    if _THOUSANDS.fullmatch(typed):
        whole, part = typed.split(",")
        raise ValueError(f"{typed} could be {whole}{part} or {whole}.{part}: write one of them.")
    found = _NUMBER.fullmatch(typed)
    if not found or not (found["whole"] or found["part"]):
        shown = text.strip() if len(text.strip()) <= 40 else text.strip()[:40] + "…"
        raise ValueError(f"“{shown}” is no number.")
    number = float(typed.replace(",", "."))
    if abs(number) > _LARGEST:
        raise ValueError("That is too large: numbers may have a hundred digits.")
    if 0 < abs(number) < 1 / _LARGEST or (number == 0 and (found["whole"] + (found["part"] or "")).strip("0")):
        raise ValueError("That is too small: a hundred digits after the point are enough.")
    return number
