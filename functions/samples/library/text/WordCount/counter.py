# <<Words>> finds them. A counter keeps first appearances in order, and its
# ranking is stable.
from collections import Counter


def WordCount(text):
    counts = Counter(word.casefold() for word in Words(text))
    return dict(counts.most_common())
