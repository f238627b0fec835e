"""Signing in in a real browser: passkeys, and a provider, under the policy of pages."""

from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from oidc_provider_mock import run_server_in_thread
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import SignIn
from tests.support.site import Site
from tests.support.works import account

pytestmark = pytest.mark.slow

PASSWORD = "correct horse battery"
KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def local_site(live_site: Site) -> str:
    """Return the site's address by name: passkeys are for names, not for numbers."""
    return live_site.url.replace("127.0.0.1", "localhost")


@pytest.fixture
def nora(live_site: Site) -> User:
    user = account("nora")
    user.set_password(PASSWORD)
    user.save()
    return user


def virtual_key(page: Page) -> tuple[CDPSession, str]:
    """Give the browser a passkey device."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    added = session.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
    return session, str(added["authenticatorId"])


def sign_in(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/login/")
    page.get_by_label("Username or e-mail address").fill("nora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_passkey_is_added_and_signs_in_alone_and_as_second_factor_and_proof(
    local_site: str, nora: User, as_person: SignIn
) -> None:
    page = as_person()
    session, key = virtual_key(page)
    sign_in(page, local_site)
    page.goto(f"{local_site}/accounts/factors/passkeys/new/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name").fill("My laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.locator(".recovery-codes li")).to_have_count(10)
    assert Authenticator.objects.get(type="webauthn").wrap().name == "My laptop"

    page.goto(f"{local_site}/accounts/factors/")
    sign_out(page)
    page.goto(f"{local_site}/accounts/login/?next=/drafts/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/drafts/")

    sign_out(page)
    sign_in(page, local_site)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{local_site}/")

    page.goto(f"{local_site}/accounts/tokens/")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("Your new token.")).to_be_visible()

    session.send("WebAuthn.setUserVerified", {"authenticatorId": key, "isUserVerified": False})
    sign_out(page)
    page.goto(f"{local_site}/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing came from the passkey")


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Your account, nora").click()
    page.get_by_role("button", name="Sign out").last.click()
    expect(page.get_by_role("link", name="Sign up")).to_be_visible()


@pytest.fixture
def site_with_provider(transactional_db: None, site_processes: Site) -> Iterator[Site]:
    with run_server_in_thread() as server:
        mine = {
            "SOCIALCODE_OIDC_PROVIDERS": "work",
            "SOCIALCODE_OIDC_WORK_ISSUER": f"http://localhost:{server.server_port}",
            "SOCIALCODE_OIDC_WORK_CLIENT_ID": "us",
            "SOCIALCODE_OIDC_WORK_CLIENT_SECRET": "shh",
        }
        site = Site(site_processes.folder, {**site_processes.environment, **mine})
        try:
            site.start_web()
            yield site
        finally:
            site.stop()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_provider_signs_up_with_and_without_scripts(
    site_with_provider: Site, as_person: SignIn, scripts: bool
) -> None:
    page, site = as_person(java_script_enabled=scripts), site_with_provider.url
    page.goto(f"{site}/accounts/login/?next=/drafts/")
    page.get_by_role("button", name="Continue with Work").click()
    page.wait_for_url("http://localhost:*/oauth2/authorize*")
    page.locator("input[name=sub]").fill("nora@example.org")
    page.locator("button[type=submit], input[type=submit]").first.click()
    page.wait_for_url("**/accounts/providers/signup/")
    page.get_by_label("Username").fill("nora")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/drafts/")
    assert SocialAccount.objects.get().user.username == "nora"
