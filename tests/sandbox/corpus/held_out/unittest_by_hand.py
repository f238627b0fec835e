"""A home made xUnit: discovers test_ methods, runs, reports."""
import sys
import time
import traceback


class Calculator:
    def __init__(self):
        self.memory = 0
        self.history = []

    def evaluate(self, text):
        tokens = text.replace("(", " ( ").replace(")", " ) ").split()
        value, rest = self._sum(tokens)
        if rest:
            raise SyntaxError("unexpected " + rest[0])
        self.history.append((text, value))
        return value

    def _sum(self, tokens):
        value, tokens = self._product(tokens)
        while tokens and tokens[0] in "+-":
            op, *tokens = tokens
            right, tokens = self._product(tokens)
            value = value + right if op == "+" else value - right
        return value, tokens

    def _product(self, tokens):
        value, tokens = self._atom(tokens)
        while tokens and tokens[0] in "*/":
            op, *tokens = tokens
            right, tokens = self._atom(tokens)
            value = value * right if op == "*" else value / right
        return value, tokens

    def _atom(self, tokens):
        if not tokens:
            raise SyntaxError("unexpected end")
        first, *rest = tokens
        if first == "(":
            value, rest = self._sum(rest)
            if not rest or rest[0] != ")":
                raise SyntaxError("missing )")
            return value, rest[1:]
        if first == "M":
            return self.memory, rest
        return float(first), rest


class TestCase:
    def setUp(self): pass
    def tearDown(self): pass

    def assertEqual(self, a, b, msg=None):
        assert a == b, msg or "%r != %r" % (a, b)

    def assertRaises(self, exc, fn, *args, **kw):
        try:
            fn(*args, **kw)
        except exc as e:
            return e
        raise AssertionError("%s not raised" % exc.__name__)

    def run(self, out=sys.stdout):
        results = {"passed": [], "failed": [], "error": []}
        for name in dir(self):
            if not name.startswith("test"):
                continue
            method = getattr(self, name)
            self.setUp()
            started = time.time()
            try:
                method()
            except AssertionError as e:
                results["failed"].append((name, str(e)))
                out.write("F")
            except Exception:
                results["error"].append((name, traceback.format_exc(limit=1)))
                out.write("E")
            else:
                results["passed"].append((name, time.time() - started))
                out.write(".")
            finally:
                self.tearDown()
        out.write("\n")
        return results


class CalculatorTest(TestCase):
    def setUp(self):
        self.calc = Calculator()

    def tearDown(self):
        del self.calc

    def test_precedence(self):
        self.assertEqual(self.calc.evaluate("1 + 2 * 3"), 7)

    def test_parens(self):
        self.assertEqual(self.calc.evaluate("(1+2) * 3".replace("+", " + ")), 9)

    def test_memory(self):
        self.calc.memory = 4
        self.assertEqual(self.calc.evaluate("M * M"), 16)

    def test_errors(self):
        self.assertRaises(ZeroDivisionError, self.calc.evaluate, "1 / 0")
        e = self.assertRaises(SyntaxError, self.calc.evaluate, "( 1 + 2")
        self.assertEqual(e.msg, "missing )")

    def test_history(self):
        self.calc.evaluate("1")
        self.assertEqual(self.calc.history, [("1", 1.0)])


class BrokenTest(TestCase):
    def test_fails(self):
        self.assertEqual(1, 2)

    def test_errors(self):
        {}["missing"]


def main(argv=None):
    total = {}
    for case in TestCase.__subclasses__():
        print(case.__name__, end=" ")
        for kind, items in case().run().items():
            total.setdefault(kind, []).extend(items)
    for name, text in total["failed"] + total["error"]:
        print("-", name, text.strip().splitlines()[-1])
    return {k: len(v) for k, v in total.items()}


assert main() == {"passed": 5, "failed": 1, "error": 1}
