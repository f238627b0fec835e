from xml.etree import ElementTree


def places(points):
    root = ElementTree.fromstring(LineChart(points, "x", "y"))
    line = root.find(".//{*}polyline").get("points")
    return [tuple(map(float, pair.split(","))) for pair in line.split()]


def test_right_and_up():
    (x1, y1), (x2, y2), (x3, y3) = places([[0, 0], [1, 10], [4, 20]])
    assert x1 < x2 < x3
    assert y1 > y2 > y3
    assert abs((x2 - x1) * 3 - (x3 - x2)) < 0.1
    assert abs((y1 - y2) - (y2 - y3)) < 0.1


def test_a_level_line():
    (_, y1), (_, y2) = places([[-1, 5], [1, 5]])
    assert y1 == y2
    assert len(places([[0, 0], [1, 0]])) == 2


def test_small_and_large_numbers():
    for size in (1e-60, 1e60):
        assert len(set(places([[0, 0], [size, size], [2 * size, -size]]))) == 3
