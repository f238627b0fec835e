assert RunLengthEncode("1122") == [("1", 2), ("2", 2)]
