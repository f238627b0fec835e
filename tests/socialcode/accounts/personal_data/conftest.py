"""Somebody with a bit of everything."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from functions.models import Agent, Digest, NameWatch
from socialcode.accounts.agents.accounts import create_agent
from socialcode.accounts.languages import choose_language
from socialcode.accounts.tokens import create_token
from tests.support import builders as make
from tests.support.pages import Rows

NAME = "zebedee.quill"
ADDRESS = "zeb@quill.example"
PASSWORD = "a password of tests"


@pytest.fixture
def zebedee(db: None) -> User:
    return make.user(NAME, password=PASSWORD, email=ADDRESS, first_name="Zebedee")


@pytest.fixture
def rows(zebedee: User) -> Rows:
    found = Rows(zebedee)
    found.grow(2)
    Digest.objects.create(user=zebedee, frequency="daily", address=ADDRESS)
    EmailAddress.objects.create(user=zebedee, email=ADDRESS, verified=True, primary=True)
    NameWatch.objects.create(name="Later", name_key="later", user=zebedee)
    create_token(user=zebedee, name="of my laptop")
    create_agent(actor=zebedee, name="helper")
    agent = Agent.objects.get(person=zebedee).user
    make.implementation(make.function("Foreign"), author=agent, code="# by an agent\n")
    choose_language(zebedee, "de")
    return found
