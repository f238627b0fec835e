assert ClosestWord("PARIS", ["Parts", "Paris"]) == "Paris"
