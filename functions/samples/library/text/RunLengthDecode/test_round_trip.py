# Encoded by <<RunLengthEncode>>.
for text in ("", "a", "aaaabbb", "abcabc", "ÄÄä", "   \n\n"):
    runs = RunLengthEncode(text)
    log(f"{text!r} is {runs}")
    assert RunLengthDecode(runs) == text
