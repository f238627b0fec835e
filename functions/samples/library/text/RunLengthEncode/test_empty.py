assert RunLengthEncode("") == []
