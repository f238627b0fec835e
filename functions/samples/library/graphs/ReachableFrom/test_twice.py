diamond = {"top": ["left", "right"], "left": ["end"], "right": ["end"]}
assert ReachableFrom(diamond, "top") == ["top", "left", "right", "end"]
