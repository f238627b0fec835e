from xml.etree import ElementTree


def chart(*arguments):
    return ElementTree.fromstring(LineChart(*arguments))


def test_a_picture_with_a_name():
    root = chart([[0, 0], [10, 6]], "km", "mi")
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == "mi for km"
    assert root.get("viewBox")


def test_numbers_on_both_axes():
    texts = {text.text for text in chart([[0, 0], [10, 600]], "x", "y").findall(".//{*}text")}
    assert {"0", "10", "200", "400", "600"} <= texts


def test_labels_are_escaped():
    root = chart([[0, 0], [1, 1]], '<b>&"', "</svg>")
    assert root.get("aria-label") == '</svg> for <b>&"'
