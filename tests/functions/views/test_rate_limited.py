"""Forms that are sent too often: refused with all that was typed, and with when to go on."""

from collections.abc import Callable
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.models import Function, Implementation, Vote
from functions.request_limits import limit_of_page
from socialcode.accounts.models import ApiToken
from tests.functions.views.conftest import SignedIn
from tests.support.limits import limits  # noqa: F401 - a fixture
from tests.support.proofs import prove
from tests.support.works import constant, define, draft_implementation, implement

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits")]

JSON = {"Accept": "application/json"}
ATTACK = 120


def use_up(page: str, username: str) -> None:
    limit = limit_of_page(page)
    assert limit is not None
    assert limit.user is not None
    who = f"user {User.objects.get(username=username).pk}"
    for _ in range(limit.user.tries):
        limit.user.count(who)


def name_of(number: int) -> str:
    return "".join(f"N{chr(97 + number // 26)}{chr(97 + number % 26)}")


@pytest.mark.parametrize(
    ("page", "path", "form", "count"),
    [
        (
            "new-function",
            "/functions/new/",
            lambda n: {"name": name_of(n), "signature": "", "description": ""},
            Function.objects.exclude(name="Two").count,
        ),
        (
            "new-implementation",
            "/functions/Two/implementations/new/",
            lambda n: {"code": f"def Two():\n    return {n}", "title": ""},
            Implementation.objects.filter(state="draft").count,
        ),
        (
            "tokens",
            "/accounts/tokens/",
            lambda n: {"name": f"no. {n}", "scopes": "read"},
            ApiToken.objects.count,
        ),
        ("vote", "/implementations/{work}/vote/", lambda n: {"value": n % 2}, None),
    ],
    ids=["functions", "drafts", "tokens", "votes"],
)
def test_a_script_that_sends_a_form_again_and_again_is_stopped(
    as_person: SignedIn,
    page: str,
    path: str,
    form: Callable[[int], dict[str, object]],
    count: Callable[[], int] | None,
) -> None:
    work = implement(define("Two", owner="olga"), constant("Two", 2), author="ida")
    script, limit = prove(as_person("nora")), limit_of_page(page)
    assert limit is not None
    assert limit.user is not None
    path = path.format(work=work.pk)
    answers = [script.post(path, form(number)).status_code for number in range(ATTACK)]
    assert set(answers[: limit.user.tries]) <= {200, 302}
    assert set(answers[limit.user.tries :]) == {429}
    assert count is None or count() == limit.user.tries
    assert script.get("/").status_code == 200
    assert prove(as_person("otto")).post(path, form(ATTACK)).status_code in (200, 302)


def test_the_page_has_all_that_was_typed_in_a_form_to_be_sent_again(as_person: SignedIn) -> None:
    define("Two", owner="olga")
    browser = as_person("nora")
    use_up("new-implementation", "nora")
    code = '\ndef Two():\n    return "<b>2</b> & more"\n'
    answer = browser.post(
        "/functions/Two/implementations/new/?a=b", {"code": code, "title": "Mine"}
    )
    assert answer.status_code == 429
    assert 1 <= int(answer["Retry-After"]) <= 60
    page = answer.content.decode()
    assert "At most 100 new drafts a minute: try again in" in page
    assert 'action="/functions/Two/implementations/new/?a=b"' in page
    assert (
        "\n\ndef Two():\n    return &quot;&lt;b&gt;2&lt;/b&gt; &amp; more&quot;\n</textarea>"
        in page
    )
    assert '<input type="hidden" name="title" value="Mine">' in page
    main = page[page.index("<main") : page.index("</main>")]
    assert main.count('name="csrfmiddlewaretoken"') == 1
    assert not Implementation.objects.exists()


def test_the_text_of_a_file_is_kept_as_well(as_person: SignedIn) -> None:
    browser = as_person("nora")
    use_up("import", "nora")
    module = BytesIO(b"def double(n):\n    return 2 * n\n")
    module.name = "double.py"
    page = browser.post("/import/", {"module": "", "tests": "", "module_file": module})
    assert page.status_code == 429
    assert 'name="module" rows="10" spellcheck="false">\ndef double(n):' in page.content.decode()


@pytest.mark.parametrize(
    ("page", "path", "form"),
    [
        ("vote", "/implementations/{work}/vote/", {"value": 1}),
        ("draft", "/drafts/implementation/{draft}/", {"code": "x = 1", "version": 1}),
        ("run-draft", "/drafts/implementation/{draft}/run/", {"version": 1}),
    ],
)
def test_scripts_of_pages_are_told_what_to_say(
    as_person: SignedIn, page: str, path: str, form: dict[str, object]
) -> None:
    function = define("Two", owner="olga")
    work = implement(function, constant("Two", 2), author="ida")
    draft = draft_implementation(function, constant("Two", 3), author="nora")
    browser = as_person("nora")
    use_up(page, "nora")
    answer = browser.post(path.format(work=work.pk, draft=draft.pk), form, headers=JSON)
    assert answer.status_code == 429
    assert answer["Retry-After"].isdecimal()
    assert answer.json()["code"] == "too_many_requests"
    assert "try again in" in answer.json()["message"]
    assert not Vote.objects.exists()


def test_signing_out_is_not_counted_and_reading_is_not(as_person: SignedIn) -> None:
    browser = as_person("nora")
    limit = limit_of_page("nothing of ours")
    assert limit is not None
    for _ in range(limit.address.tries + 1):
        limit.address.count("127.0.0.1")
    assert browser.get("/runs/").status_code == 200
    assert browser.post("/accounts/logout/").status_code == 302


def test_one_address_has_a_limit_whoever_writes_from_it(as_person: SignedIn) -> None:
    work = implement(define("Two", owner="olga"), constant("Two", 2), author="ida")
    limit = limit_of_page("vote")
    assert limit is not None
    for _ in range(limit.address.tries):
        limit.address.count("2001:db8:1:2::/64")
    path, browser = f"/implementations/{work.pk}/vote/", as_person("nora")
    near = browser.post(path, {"value": 1}, headers=JSON, REMOTE_ADDR="2001:db8:1:2:3:4:5:6")
    assert near.status_code == 429
    assert "from one address" in near.json()["message"]
    far = browser.post(path, {"value": 1}, headers=JSON, REMOTE_ADDR="2001:db8:1:3::1")
    assert far.status_code == 200


def test_who_is_not_signed_in_is_sent_to_sign_in_and_counted_by_address(client: Client) -> None:
    limit = limit_of_page("new-function")
    assert limit is not None
    statuses = [client.post("/functions/new/").status_code for _ in range(limit.address.tries + 1)]
    assert statuses == [302] * limit.address.tries + [429]
