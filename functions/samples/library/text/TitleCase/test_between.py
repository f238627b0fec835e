assert (
    TitleCase("  two  spaces,\nand a line ") == "  Two  Spaces,\nAnd A Line "
)
assert TitleCase("") == ""
assert TitleCase("an antelope") == "An Antelope"
