def test_a_simple_sentence():
    assert abs(ReadingEase("The cat sat on the mat.") - 116.145) < 0.001
