# Uses <<CountSyllables>>, which is still to be written.
import re


def ReadingEase(text):
    words = re.findall(r"[A-Za-z']+", text)
    sentences = len(re.findall(r"[.!?]+", text)) or 1
    syllables = sum(CountSyllables(word) for word in words)
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * syllables / len(words)
