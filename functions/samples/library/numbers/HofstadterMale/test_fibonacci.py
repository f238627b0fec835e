for fibonacci, before in ((13, 7), (34, 20), (89, 54)):
    assert HofstadterMale(fibonacci - 1) == before
