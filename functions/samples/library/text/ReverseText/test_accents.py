# "noël", the two dots being a character of their own.
word = "noe\u0308l"
log(f"{word} has {len(word)} characters")
assert ReverseText(word) == "le\u0308on"
