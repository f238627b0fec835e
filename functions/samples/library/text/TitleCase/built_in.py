# Takes the letter after an apostrophe for a new word, and lowers the rest.
def TitleCase(text):
    return text.title()
