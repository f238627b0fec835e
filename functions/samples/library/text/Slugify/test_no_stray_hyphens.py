assert Slugify("  -- a  --  b --  ") == "a-b"
assert Slugify("???") == ""
assert Slugify("") == ""
