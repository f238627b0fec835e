"""Pages: templates that call what they name, judged by tests that render them."""

import pytest
from django.contrib.auth.models import User

from functions.authoring import start_draft
from functions.errors import Refusal
from functions.kinds.page_source import find_markers
from functions.models import Cell, Implementation, Test
from functions.read_models.draft_check import check_draft
from tests.functions.pages.conftest import GREETING, Publish
from tests.support import builders as make

RENDERED = """
def test_it_greets():
    page = render(query={"name": "<Ada>"})
    assert page.status == 200
    [heading] = page.select("h1")
    assert heading.text == "Hello, <Ada>"
    assert "Hello, &lt;Ada&gt;" in page.text
    assert Home(query={"name": "x"}).text == render(query={"name": "x"}).text
"""
RESPONDING = """\
{% if method == "POST" %}{% set response.location = "thanks" %}{% endif %}
{% if path == "missing" %}{% set response.status = 404 %}{% endif %}
{% set data = {"n": [1, 2], "who": who} %}
<ul>{% for n in data.n %}<li>{{ n }}{% endfor %}</ul>"""
RESPONDED = """
def test_responses():
    page = render(who="ida")
    assert (page.status, page.content_type, page.location) == (200, "text/html", "")
    assert page.data == {"n": [1, 2], "who": "ida"}
    assert [item.text for item in page.select("ul > li")] == ["1", "2"]
    assert render(path="missing").status == 404
    sent = render(method="POST", form={"a": "b"})
    assert (sent.status, sent.location) == (303, "thanks")
"""


def verdict(work: Implementation) -> tuple[str, str, int | None]:
    """Return the verdict of the load or the only test, its message and its place."""
    cell = Cell.objects.filter(implementation=work).order_by("-test").first()
    assert cell
    return cell.verdict, cell.message, cell.line


def test_a_page_calls_what_it_names_and_escapes_what_it_shows(
    home: Implementation, publish: Publish
) -> None:
    publish("Home", RENDERED, model=Test)
    home.refresh_from_db()
    assert home.standing == "eligible", verdict(home)
    publish("Greeting", GREETING.replace("Hello", "Bye"))
    home.refresh_from_db()
    assert home.standing == "failing"


def test_a_page_sets_its_status_its_data_and_where_it_leads(publish: Publish) -> None:
    publish("Things", RESPONDED, model=Test)
    page = publish("Things", RESPONDING)
    assert page.standing == "eligible", verdict(page)


def test_a_page_is_a_part_of_another_and_of_a_function(publish: Publish) -> None:
    publish("Head", "<h1>{{ title }}</h1>")
    page = publish("Whole", "{# <<Head>> #}{{ Head(title='<a>') }}<p>")
    publish("Whole", "assert render().text == '<h1>&lt;a&gt;</h1><p>'", model=Test)
    page.refresh_from_db()
    assert page.standing == "eligible", verdict(page)
    mail = "# <<Head>>\ndef Mail(title):\n    return Head(title=title).text\n"
    publish("Mail", "assert Mail('x') == '<h1>x</h1>'", kind="function", model=Test)
    assert publish("Mail", mail).standing == "eligible"


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("<p>\n{{ 1 / n }}\n", 2, "ZeroDivisionError"),
        ("<p>\n\n{{ Absent() }}\n", 3, "'Absent' is undefined"),
        ("{% set response.status = 'x' %}", None, "response.status must be a int"),
        ("{% set response.status = 99 %}", None, "response.status must be"),
        ("{% for i in range(10**9) %}{{ 'x' * 10**6 }}{% endfor %}", None, ""),
    ],
)
def test_a_fault_names_the_line_of_the_template(
    publish: Publish, template: str, line: int | None, message: str
) -> None:
    publish("Faulty", "render(n=0)", model=Test)
    page = publish("Faulty", template)
    [cell] = Cell.objects.filter(implementation=page).exclude(test=None)
    assert cell.verdict != "passed"
    assert message in cell.message
    if line:
        assert cell.line == line


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("<p>\n{% if %}", 2, "Expected an expression"),
        ("{% include 'other' %}", 1, "pages have no files"),
        ("\n{{ x|shout }}", 2, "No filter named 'shout'"),
        ("{{ " + "(" * 500 + "1" + ")" * 500 + " }}", 1, "nested too deeply"),
    ],
)
def test_what_can_not_be_a_template_is_refused_with_its_line(
    ana: User, publish: Publish, template: str, line: int, message: str
) -> None:
    with pytest.raises(Refusal) as refused:
        publish("Broken", template)
    assert (refused.value.errors[0].line, message in refused.value.message) == (line, True)
    function = make.function("Other", owner=ana, kind="page")
    draft = start_draft(actor=ana, function=function, model=Implementation, code=template)
    [problem] = check_draft(draft, template).problems
    assert (problem.severity, problem.line) == ("error", line)


def test_only_comments_of_a_template_name_functions() -> None:
    source = (
        "<!-- <<A>> --><p><<B>></p>{{ '{# <<C>> #}' }}{# uses <<D>>\n<<E>> #}"
        "{% raw %}{# <<F>> #}{% endraw %}{# <<1>> #}{{ unclosed {# <<G>> #}"
    )
    found = find_markers(source)
    assert [(each.name, each.line) for each in found.markers] == [("D", 1), ("E", 2)]
    assert [each.code for each in found.complaints] == ["invalid_marker"]


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__base__.__subclasses__() }}<h1>",
        "{{ cycler.__init__.__globals__.os.popen('id') }}",
        "{{ lipsum.__globals__.__builtins__.open('/etc/passwd').read() }}",
        "{% set _ = self._TemplateReference__context.environment.globals.update(render=1) %}",
        "{{ Response }}",
    ],
)
def test_a_template_that_attacks_passes_no_test_it_should_fail(
    publish: Publish, template: str
) -> None:
    publish("Liar", "assert render().select('h2')[0].text == 'right'", model=Test)
    assert publish("Liar", template).standing == "failing"


def test_a_page_that_lies_about_its_parts_is_an_error(publish: Publish) -> None:
    lie = (
        "class Text(str):\n    def __eq__(self, other): return True\n"
        "    def __contains__(self, other): return True\n    __hash__ = str.__hash__\n"
        "class Lie:\n    status = 200\n    content_type = location = ''\n    data = None\n"
        "    text = Text('')\n"
        "def Lying(): return Lie()\n"
    )
    publish("Lying", lie, kind="function")
    page = publish("Page", "{# <<Lying>> #}{{ Lying() }}")
    publish("Page", "assert 'right' in render().text", model=Test)
    page.refresh_from_db()
    assert page.standing == "failing"
