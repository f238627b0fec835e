"""Discussions as pages and forms, which need no script."""

import re
import time

import pytest
from django.test import Client

from functions.models import Comment, Function
from functions.moderation.comments import hide_comment, reply_to, write_comment
from functions.read_models import discussion
from functions.views.markdown import markdown
from tests.functions.views.conftest import SignedIn
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> Function:
    """Define `Two` by olga, with an implementation by ida."""
    function = define("Two", owner="olga")
    implement(function, constant("Two", 2), author="ida")
    return function


def comment(function: Function, text: str = "Why?", *, author: str = "ann") -> Comment:
    return write_comment(actor=account(author), subject=function, text=text)


def body(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path, follow=True)
    assert answer.status_code == status
    text: str = answer.content.decode()
    return text


def test_one_writes_answers_edits_and_deletes_without_a_script(
    as_person: SignedIn, two: Function
) -> None:
    ann = as_person("ann")
    written = ann.post("/functions/Two/discussion/?on=I1", {"text": "Not **fast**\r\nat all"})
    first = Comment.objects.get()
    assert written["Location"] == f"/functions/Two/discussion/?on=I1#C{first.pk}"
    assert first.text == "Not **fast**\nat all"
    page = body(ann, "/functions/Two/discussion/")
    assert "<strong>fast</strong>" in page
    assert 'href="/functions/Two/#I1"' in page
    assert f'data-comments="implementation-{first.implementation_id}">1<' in body(
        ann, "/functions/Two/"
    )
    assert as_person("bob").post(f"/comments/{first.pk}/", {"text": "So."}).status_code == 302
    reply = Comment.objects.latest("id")
    assert ann.get(f"/comments/{reply.pk}/")["Location"] == f"/comments/{first.pk}/#C{reply.pk}"
    assert "Not **fast**" in body(ann, f"/comments/{first.pk}/edit/")
    ann.post(f"/comments/{first.pk}/edit/", {"text": "Slow"})
    page = body(ann, f"/comments/{first.pk}/")
    assert ("Slow" in page, "edited" in page, "So." in page) == (True, True, True)
    ann.post(f"/comments/{first.pk}/delete/")
    page = body(ann, f"/comments/{first.pk}/")
    assert "deleted by its author" in page
    assert "So." in page
    gone = as_person("bob").post(f"/comments/{reply.pk}/delete/")
    assert gone["Location"] == f"/comments/{first.pk}/"
    body(ann, f"/comments/{first.pk}/", 404)
    assert "No comments yet" in body(ann, "/functions/Two/discussion/?on=I1")


def test_what_was_typed_comes_back_with_every_refusal(
    as_person: SignedIn, client: Client, two: Function
) -> None:
    thread, ann = comment(two), as_person("ann")
    edit = f"/comments/{thread.pk}/edit/"
    refusals: list[tuple[Client, str, str, int, str]] = [
        (ann, path, "x" * 10_001, 422, "the limit is 10,000")
        for path in ("/functions/Two/discussion/", f"/comments/{thread.pk}/", edit)
    ]
    refusals.append((client, edit, "Typed while signed out", 403, "Sign in first"))
    for writer, path, typed, status, reason in refusals:
        refused = writer.post(path, {"text": typed})
        assert refused.status_code == status
        page = refused.content.decode()
        assert re.search(rf"<textarea[^>]*>\s*{typed}</textarea>", page)
        assert reason in page
    hidden = as_person("olga").post(f"/comments/{thread.pk}/hide/", {"reason": "y" * 501})
    assert (hidden.status_code, "y" * 501 in hidden.content.decode()) == (422, True)
    assert Comment.objects.count() == 1


def test_a_hidden_comment_is_collapsed_with_the_reason(as_person: SignedIn, two: Function) -> None:
    thread = comment(two, "Buy this")
    olga = as_person("olga")
    assert "Why" not in body(olga, f"/comments/{thread.pk}/hide/")
    olga.post(f"/comments/{thread.pk}/hide/", {"reason": "Advertising"})
    for path in ("/functions/Two/discussion/", f"/comments/{thread.pk}/"):
        for reader, reads in (("bob", False), ("ann", True), ("olga", True)):
            page = body(as_person(reader), path)
            assert "Advertising" in page
            assert ("Buy this" in page) == reads
    assert as_person("bob").get(f"/comments/{thread.pk}/hide/").status_code == 403
    assert as_person("bob").get(f"/comments/{thread.pk}/edit/").status_code == 403
    olga.post(f"/comments/{thread.pk}/show/")
    assert "Buy this" in body(as_person("bob"), f"/comments/{thread.pk}/")


def test_comments_are_rendered_safely_and_their_markers_are_links(two: Function) -> None:
    comment(two, "<script>alert(1)</script> [x](javascript:alert(1)) <<Two>> `<<Two>>` <<Gone>>")
    page = body(Client(), "/functions/Two/discussion/")
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    links = re.findall(r'<a class="dep" data-status="(\w+)" href="([^"]+)"', page)
    assert links == [("unimplemented", "/functions/Two/"), ("missing", "/functions/Gone/")]
    assert "<code>&lt;&lt;Two&gt;&gt;</code>" in page


def test_the_order_is_kept_in_the_address_and_pages_go_on(
    two: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discussion, "THREADS_SHOWN", 2)
    made = [comment(two, f"Number {number}.") for number in range(5)]
    Comment.objects.filter(pk=made[0].pk).update(score=3)

    def read(path: str) -> list[str]:
        found: list[str] = []
        while path:
            page = body(Client(), path)
            found += re.findall(r"Number (\d)\.", page)
            after = re.search(r'rel="next" href="([^"]+)"', page)
            path = after[1].replace("&amp;", "&") if after else ""
        return found

    assert "".join(read("/functions/Two/discussion/")) == "43210"
    page = body(Client(), "/functions/Two/discussion/")
    assert 'href="/functions/Two/discussion/?order=best"' in page
    assert "".join(read("/functions/Two/discussion/?order=best")) == "04321"
    for strange in ("order=worst", "cursor=x", "on=I9", "on=X1", "on=I٣", "order=best&cursor=WzFd"):
        body(Client(), f"/functions/Two/discussion/?{strange}", 404)


def test_a_long_thread_shows_its_first_replies_and_a_reply_is_found_where_it_is(
    two: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discussion, "REPLIES_OF_ONE_SHOWN", 6)
    thread = comment(two)
    replies = [
        reply_to(actor=account("bob"), comment=thread, text=f"Reply {number}.")
        for number in range(8)
    ]
    page = body(Client(), "/functions/Two/discussion/")
    assert re.findall(r"Reply (\d)\.", page) == list("01234")
    assert "3 more replies" in page
    page = body(Client(), f"/comments/{replies[7].pk}/")
    assert re.findall(r"Reply (\d)\.", page) == ["7"]
    page = body(Client(), f"/comments/{replies[5].pk}/")
    assert re.findall(r"Reply (\d)\.", page) == list("012345")


def test_a_comment_is_voted_on_from_the_page(as_person: SignedIn, two: Function) -> None:
    thread = comment(two)
    bob = as_person("bob")
    scored = bob.post(
        f"/comments/{thread.pk}/vote/", {"value": 1}, headers={"Accept": "application/json"}
    )
    assert scored.json() == {"score": 1, "agent_score": 0, "value": 1}
    assert (
        bob.post(f"/comments/{thread.pk}/vote/", {"value": -1})["Location"]
        == f"/comments/{thread.pk}/"
    )
    hide_comment(actor=account("olga"), comment=thread, reason="x")
    assert bob.post(f"/comments/{thread.pk}/vote/", {"value": 1}).status_code == 409


def test_nothing_is_left_of_a_discussion_when_its_function_is_deleted(
    as_person: SignedIn, two: Function
) -> None:
    thread = comment(two)
    as_person("olga").post("/functions/Two/delete/")
    ann = as_person("ann")
    body(ann, "/functions/Two/discussion/", 404)
    body(ann, f"/comments/{thread.pk}/", 404)
    assert ann.post(f"/comments/{thread.pk}/edit/", {"text": "x"}).status_code == 404


def test_three_hundred_comments_that_are_dear_to_show_are_read_at_once(two: Function) -> None:
    """A page takes as long as a few of them; what others said is formatted when it's read again."""
    Comment.objects.bulk_create(
        Comment(function=two, author=account("eve"), text=f"{number} {'[' * 9_000}")
        for number in range(300)
    )
    comment(two, "Not **fast**")
    begun = time.thread_time()
    page = body(Client(), "/functions/Two/discussion/")
    taken = time.thread_time() - begun
    assert page.count("[" * 9_000) == discussion.THREADS_SHOWN - 1
    begun = time.thread_time()
    one = markdown(f"another {'[' * 9_000}")
    assert taken < 1.0 + 20 * (time.thread_time() - begun)
    assert one == f"<p>another {'[' * 9_000}</p>"
    while "<strong>fast</strong>" not in page:
        page = body(Client(), "/functions/Two/discussion/")


def test_a_description_that_is_dear_to_show_is_shown_as_it_was_typed(two: Function) -> None:
    Function.objects.filter(pk=two.pk).update(description="[" * 20_000)
    assert f"<p>{'[' * 20_000}</p>" in body(Client(), "/functions/Two/")
    assert "[" * 500 + "…" in body(Client(), "/")
