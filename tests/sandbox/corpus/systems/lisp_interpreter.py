import math
import operator as op


class Symbol(str):
    def __repr__(self):
        return str(self)


class LispError(Exception):
    pass


class Env(dict):
    "An environment: a dict of {'var':val} pairs, with an outer Env."

    def __init__(self, parms=(), args=(), outer=None):
        super().__init__()
        if isinstance(parms, Symbol):
            self[parms] = list(args)
        else:
            if len(parms) != len(args):
                raise LispError('expected %s, given %s' % (to_string(parms), to_string(list(args))))
            self.update(zip(parms, args))
        self.outer = outer

    def find(self, var):
        if var in self:
            return self
        if self.outer is None:
            raise LispError('unbound variable: ' + var)
        return self.outer.find(var)


class Procedure:
    def __init__(self, parms, body, env):
        self.parms, self.body, self.env = parms, body, env

    def __call__(self, *args):
        return evaluate(self.body, Env(self.parms, args, self.env))


def tokenize(s):
    return s.replace('(', ' ( ').replace(')', ' ) ').replace("'", " ' ").split()


def read_from(tokens):
    if not tokens:
        raise LispError('unexpected EOF while reading')
    token = tokens.pop(0)
    if token == '(':
        L = []
        while tokens and tokens[0] != ')':
            L.append(read_from(tokens))
        if not tokens:
            raise LispError('missing )')
        tokens.pop(0)
        return L
    if token == "'":
        return [Symbol('quote'), read_from(tokens)]
    if token == ')':
        raise LispError('unexpected )')
    return atom(token)


def atom(token):
    if token == '#t':
        return True
    if token == '#f':
        return False
    for convert in (int, float):
        try:
            return convert(token)
        except ValueError:
            pass
    return Symbol(token)


def to_string(exp):
    if exp is True:
        return '#t'
    if exp is False:
        return '#f'
    if isinstance(exp, list):
        return '(' + ' '.join(map(to_string, exp)) + ')'
    return str(exp)


def standard_env():
    env = Env()
    env.update({k: v for k, v in vars(math).items() if not k.startswith('_')})
    env.update({
        '+': lambda *a: sum(a), '*': lambda *a: math.prod(a), '-': lambda a, *b: a - sum(b) if b else -a,
        '/': op.truediv, '>': op.gt, '<': op.lt, '>=': op.ge, '<=': op.le, '=': op.eq, 'abs': abs,
        'append': op.add, 'car': lambda x: x[0], 'cdr': lambda x: x[1:], 'cons': lambda x, y: [x] + y,
        'eq?': op.is_, 'equal?': op.eq, 'length': len, 'list': lambda *x: list(x), 'map': lambda f, x: list(map(f, x)),
        'not': op.not_, 'null?': lambda x: x == [], 'max': max, 'min': min, 'modulo': op.mod,
        'number?': lambda x: isinstance(x, (int, float)), 'procedure?': callable,
        'apply': lambda f, x: f(*x),
    })
    return env


global_env = standard_env()


def evaluate(x, env=None):
    if env is None:
        env = global_env
    while True:
        if isinstance(x, Symbol):
            return env.find(x)[x]
        if not isinstance(x, list):
            return x
        if not x:
            raise LispError('empty application')
        head = x[0]
        if head == 'quote':
            return x[1]
        elif head == 'if':
            _, test, conseq, *alt = x
            x = conseq if evaluate(test, env) is not False else (alt[0] if alt else False)
        elif head == 'define':
            _, target, *body = x
            if isinstance(target, list):
                name, *parms = target
                env[name] = Procedure(parms, [Symbol('begin')] + body, env)
            else:
                env[target] = evaluate(body[0], env)
            return None
        elif head == 'set!':
            env.find(x[1])[x[1]] = evaluate(x[2], env)
            return None
        elif head == 'lambda':
            return Procedure(x[1], [Symbol('begin')] + x[2:], env)
        elif head == 'let':
            names, values = zip(*x[1])
            env = Env(names, [evaluate(v, env) for v in values], env)
            x = [Symbol('begin')] + x[2:]
        elif head == 'cond':
            x = next((body for test, body in x[1:] if test == 'else' or evaluate(test, env)), False)
        elif head == 'begin':
            for exp in x[1:-1]:
                evaluate(exp, env)
            x = x[-1]
        else:
            proc, *args = [evaluate(exp, env) for exp in x]
            if isinstance(proc, Procedure):
                x, env = proc.body, Env(proc.parms, args, proc.env)
            else:
                return proc(*args)


def run(source):
    tokens = tokenize(source)
    result = None
    while tokens:
        result = evaluate(read_from(tokens))
    return None if result is None else to_string(result)


tests = [
    ("(+ 1 2 (* 3 4))", "15"), ("'(1 #t (x y))", "(1 #t (x y))"), ("(if (> 1 2) 'a 'b)", "b"),
    ("(define (fact n) (if (<= n 1) 1 (* n (fact (- n 1))))) (fact 20)", "2432902008176640000"),
    ("(define loop (lambda (n acc) (if (= n 0) acc (loop (- n 1) (+ acc n))))) (loop 3000 0)", "4501500"),
    ("(define (counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n))) (define c (counter)) (c) (c)", "2"),
    ("(map (lambda (x) (* x x)) (list 1 2 3))", "(1 4 9)"), ("((lambda args (length args)) 1 2 3)", "3"),
    ("(cond ((> 1 2) 'no) ((= 1 1) 'yes) (else 'never))", "yes"),
    ("(define (compose f g) (lambda (x) (f (g x)))) ((compose sqrt abs) -16)", "4.0"),
    ("(define (range a b) (if (= a b) '() (cons a (range (+ a 1) b)))) (apply + (range 0 10))", "45"),
]
for source, expected in tests:
    got = run(source)
    assert got == expected, (source, got)
for bad, why in [("(foo)", "unbound variable: foo"), ("(+ 1", "missing )"), (")", "unexpected )"),
                 ("((lambda (x) x))", "expected (x), given ()"), ("()", "empty application")]:
    try:
        run(bad)
    except LispError as e:
        assert str(e) == why, e
    else:
        assert False, bad
print(len(tests), 'lisp programs ran')
