# \w without the underscore, with apostrophes between, straight or curly.
import re

WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


def Words(text):
    return WORD.findall(text)
