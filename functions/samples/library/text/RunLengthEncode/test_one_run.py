assert RunLengthEncode("z" * 1000) == [("z", 1000)]
