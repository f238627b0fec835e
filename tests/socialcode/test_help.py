"""Pages of help, and where their links lead."""

import re
from urllib.parse import urldefrag, urljoin

import pytest
from django.test import Client

from socialcode.help import PAGES, path_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_help_leads_only_to_what_exists(page: str, language: str) -> None:
    client, address = Client(headers={"accept-language": language}), f"/help/{page}/"
    answer = client.get(address)
    assert answer.status_code == 200
    shown = answer.content.decode()
    article = shown[shown.index("<article") : shown.index("</article")]
    assert "<h1 id=" in article
    for link in re.findall(r'<a href="([^"]+)"', article):
        if link.startswith("http"):
            continue
        target, anchor = urldefrag(urljoin(address, link))
        found = client.get(target)
        assert found.status_code == 200, link
        assert not anchor or f'id="{anchor}"' in found.content.decode(), link


@pytest.mark.parametrize("page", PAGES)
def test_a_translated_page_has_all_parts_of_the_page(page: str) -> None:
    def parts(language: str) -> list[str]:
        text = path_of(page, language).read_text("utf-8")
        blocks = r"^(#+ |\| |- |\d+\. |```\w*$)"
        return [found.strip() for found in re.findall(blocks, text, re.MULTILINE)]

    assert path_of(page, "de") != path_of(page, "en")
    assert parts("de") == parts("en")


def test_each_page_leads_to_help_and_unknown_help_does_not_exist() -> None:
    start = Client().get("/").content.decode()
    assert 'href="/help/guide/"' in start
    assert 'href="/help/language/"' in start
    assert Client().get("/help/settings/").status_code == 404
