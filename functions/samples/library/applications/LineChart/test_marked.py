from xml.etree import ElementTree


def dots(marked):
    root = ElementTree.fromstring(LineChart([[0, 0], [8, 2]], "x", "y", marked))
    return [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.findall(".//{*}circle")], root


def test_no_dot():
    assert dots(None)[0] == []


def test_a_dot_on_the_line():
    [(x, y)], root = dots([4, 1])
    line = root.find(".//{*}polyline").get("points")
    (x1, y1), (x2, y2) = (map(float, pair.split(",")) for pair in line.split())
    assert abs(x - (x1 + x2) / 2) < 0.1
    assert abs(y - (y1 + y2) / 2) < 0.1
