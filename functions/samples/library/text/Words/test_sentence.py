assert Words("Well, well: it works!") == ["Well", "well", "it", "works"]
