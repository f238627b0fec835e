"""`manage.py delete_account`: deletes an account whose person can't do it themselves."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from functions.errors import Refusal
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.personal_data.deletion import delete_account


class Command(BaseCommand):
    """For people who have asked for it and can't sign in any more, suspended ones for example."""

    help = "Delete an account, as its person can on the page of their data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("work", choices=DeletedAccount.Work.values)

    def handle(self, *_args: Any, username: str, work: str, **_options: Any) -> None:
        person = User.objects.filter(username=username).first()
        if person is None:
            raise CommandError(f"There is no account {username!r}.")
        try:
            delete_account(actor=person, work=DeletedAccount.Work(work))
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(f"Deleted {username}. A worker does the rest within minutes.")
