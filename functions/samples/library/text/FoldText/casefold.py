def FoldText(text):
    return "".join(char for char in text.casefold() if char.isalnum())
