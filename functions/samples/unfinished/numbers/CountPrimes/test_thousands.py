def test_below_five_thousand():
    assert CountPrimes(5_000) == 669
