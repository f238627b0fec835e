assert ToCsvLine(["a,b"]) == '"a,b"'
assert ToCsvLine(['say "hi"']) == '"say ""hi"""'
assert ToCsvLine(["two\nlines", "x"]) == '"two\nlines",x'
