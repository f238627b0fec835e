import sys

class InsufficientFunds(Exception):
    pass

class ATM():
    bank_name = "First Python Bank"
    counter = 0

    def __init__(self, pin, balance = 0):
        self.__pin = pin
        self.__balance = balance
        self.transactions = []
        ATM.counter += 1

    def get_balance(self):
        return self.__balance

    def set_balance(self, amount):
        if(amount < 0):
            raise ValueError("Balance cannot be negative")
        self.__balance = amount

    balance = property(get_balance, set_balance)

    def check_pin(self, pin):
        return pin == self.__pin

    def deposit(self, amount):
        self.balance += amount
        self.transactions.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds("You only have $%.2f" % self.balance)
        self.balance -= amount
        self.transactions.append(("withdraw", amount))

    def statement(self):
        i = 0
        while i < len(self.transactions):
            kind, amount = self.transactions[i]
            print("%2d. %-10s %10.2f" % (i + 1, kind, amount))
            i += 1
        print("    %-10s %10.2f" % ("balance", self.balance))


script = ["1111", "1234", "1", "500", "2", "200", "2", "1000", "3", "9", "4"]
script.reverse()

def input(prompt=""):
    """Replaces the builtin so that it can run without a keyboard."""
    value = script.pop()
    print(prompt, value, sep="")
    return value

def menu():
    print("""
    1) Deposit
    2) Withdraw
    3) Statement
    4) Exit
    """)

def main():
    atm = ATM("1234", 50)
    tries = 0
    while not atm.check_pin(input("PIN: ")):
        tries += 1
        print("Wrong PIN, %d left" % (3 - tries))
        if tries == 3:
            sys.exit("Card blocked")
    while True:
        menu()
        choice = int(input("Choice: "))
        if choice == 1:
            atm.deposit(float(input("Amount: ")))
        elif choice == 2:
            try:
                atm.withdraw(float(input("Amount: ")))
            except InsufficientFunds as err:
                print("Sorry!", err)
            finally:
                print("Thank you for using", ATM.bank_name)
        elif choice == 3:
            atm.statement()
        elif choice == 4:
            break
        else:
            print("Invalid choice")
    return atm

if __name__ == "__main__":
    atm = main()
    assert atm.balance == 350.0
    assert len(atm.transactions) == 2
    assert ATM.counter == 1
    try:
        atm.balance = -5
    except ValueError as e:
        assert "negative" in str(e)
