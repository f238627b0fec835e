class BankAccount(object):
    """A bank account with a history.

    >>> acc = BankAccount('Ann', 100)
    >>> acc.deposit(50)
    150
    >>> acc.withdraw(500)
    Traceback (most recent call last):
    ...
    OverdraftError: balance 150, requested 500
    """
    interest_rate = 0.02
    _registry = []

    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
        self.history = []
        self._registry.append(self)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("deposit must be positive")
        self._balance += amount
        self.history.append(amount)
        return self._balance

    def withdraw(self, amount):
        if amount > self._balance:
            raise OverdraftError(self._balance, amount)
        self._balance -= amount
        self.history.append(-amount)
        return self._balance

    @property
    def balance(self):
        return self._balance

    @classmethod
    def total(cls):
        return sum(a._balance for a in cls._registry)

    @staticmethod
    def is_valid_owner(name):
        return name.isalpha() and name.istitle()

    def __str__(self):
        return '%s(%s): %s' % (self.__class__.__name__, self.owner, self._balance)

    def __lt__(self, other):
        return self._balance < other._balance

    def __iadd__(self, amount):
        self.deposit(amount)
        return self


class OverdraftError(Exception):
    def __init__(self, balance, requested):
        super(OverdraftError, self).__init__("balance %d, requested %d" % (balance, requested))
        self.shortfall = requested - balance


class SavingsAccount(BankAccount):
    def add_interest(self):
        self.deposit(int(self._balance * self.interest_rate))


class CheckingAccount(BankAccount):
    fee = 1

    def withdraw(self, amount):
        return super().withdraw(amount + self.fee)


ann = SavingsAccount('Ann', 1000)
bob = CheckingAccount('Bob', 20)
ann.add_interest()
assert ann.balance == 1020
bob += 30
assert bob.balance == 50
bob.withdraw(9)
assert bob.balance == 40
try:
    bob.withdraw(40)
except OverdraftError as e:
    print(e, '- short by', e.shortfall)
    assert e.shortfall == 1
assert BankAccount.total() == 1060
assert max(BankAccount._registry) is ann
assert BankAccount.is_valid_owner('Ann') and not BankAccount.is_valid_owner('ann2')
ann.interest_rate = 0.05
assert SavingsAccount.interest_rate == 0.02 and ann.__dict__['interest_rate'] == 0.05
for account in sorted(BankAccount._registry):
    print(account)
assert 'history' in BankAccount.__doc__
assert isinstance(ann, BankAccount) and issubclass(CheckingAccount, BankAccount)
assert not hasattr(bob, 'add_interest')
