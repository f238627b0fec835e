# "noël", the two dots being a character of their own.
word = "noe\u0308l"
log(f"{word} has {len(word)} characters")
assert ReverseText(word) == "le\u0308on"
assert ReverseText("a\u0300b\u036f") == "b\u036fa\u0300"
