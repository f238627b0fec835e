# <<Words>> knows that an apostrophe starts no new word. Walk through the
# text from one word to the next, so that nothing in between gets lost.
def TitleCase(text):
    pieces = []
    position = 0
    for word in Words(text):
        start = text.index(word, position)
        pieces.append(text[position:start])
        pieces.append(word[0].upper() + word[1:])
        position = start + len(word)
    pieces.append(text[position:])
    return "".join(pieces)
