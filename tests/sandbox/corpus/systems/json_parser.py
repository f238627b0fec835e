'''A JSON parser written by hand, checked against the one that comes with Python.'''
import json

WHITESPACE = ' \t\n\r'
ESCAPES = {'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
LITERALS = {'true': True, 'false': False, 'null': None}


class JSONError(ValueError):
    def __init__(self, message, text, pos):
        self.lineno = text.count('\n', 0, pos) + 1
        self.colno = pos - text.rfind('\n', 0, pos)
        ValueError.__init__(self, '%s at line %d column %d' % (message, self.lineno, self.colno))


class Reader:
    def __init__(self, text):
        self.__text = text
        self.__pos = 0

    def error(self, message):
        return JSONError(message, self.__text, self.__pos)

    def peek(self):
        if self.__pos >= len(self.__text):
            return ''
        return self.__text[self.__pos]

    def next(self):
        c = self.peek()
        if c == '':
            raise self.error('unexpected end')
        self.__pos += 1
        return c

    def skip(self):
        while self.peek() != '' and self.peek() in WHITESPACE:
            self.__pos += 1

    def expect(self, s):
        if not self.__text.startswith(s, self.__pos):
            raise self.error('expected %s' % s)
        self.__pos += len(s)

    def take_while(self, chars):
        start = self.__pos
        while self.peek() and self.peek() in chars:
            self.__pos += 1
        return self.__text[start:self.__pos]

    def value(self):
        self.skip()
        c = self.peek()
        if c == '{':
            result = self.object()
        elif c == '[':
            result = self.array()
        elif c == '"':
            result = self.string()
        elif c == '-' or c.isdigit():
            result = self.number()
        else:
            for word in LITERALS:
                if self.__text.startswith(word, self.__pos):
                    self.expect(word)
                    result = LITERALS[word]
                    break
            else:
                raise self.error('expected a value')
        self.skip()
        return result

    def object(self):
        result = {}
        self.expect('{')
        self.skip()
        if self.peek() == '}':
            self.next()
            return result
        while True:
            self.skip()
            key = self.string()
            self.skip()
            self.expect(':')
            result[key] = self.value()
            c = self.next()
            if c == '}':
                return result
            if c != ',':
                self.__pos -= 1
                raise self.error('expected , or }')

    def array(self):
        result = []
        self.expect('[')
        self.skip()
        if self.peek() == ']':
            self.next()
            return result
        while True:
            result.append(self.value())
            c = self.next()
            if c == ']':
                return result
            if c != ',':
                self.__pos -= 1
                raise self.error('expected , or ]')

    def string(self):
        self.expect('"')
        chars = []
        while True:
            c = self.next()
            if c == '"':
                return ''.join(chars)
            if c == '\\':
                e = self.next()
                if e == 'u':
                    code = self.hex4()
                    if 0xd800 <= code < 0xdc00:
                        self.expect('\\u')
                        code = 0x10000 + ((code - 0xd800) << 10) + (self.hex4() - 0xdc00)
                    chars.append(chr(code))
                elif e in ESCAPES:
                    chars.append(ESCAPES[e])
                else:
                    raise self.error('bad escape')
            elif c < ' ':
                raise self.error('control character in string')
            else:
                chars.append(c)

    def hex4(self):
        digits = ''.join([self.next() for _ in range(4)])
        try:
            return int(digits, 16)
        except ValueError as exc:
            raise self.error('bad \\u escape') from exc

    def number(self):
        text = '-' if self.peek() == '-' and self.next() else ''
        whole = self.take_while('0123456789')
        if not whole or (whole[0] == '0' and len(whole) > 1):
            raise self.error('bad number')
        text += whole
        convert = int
        if self.peek() == '.':
            convert = float
            text += self.next()
            text += self.take_while('0123456789')
            if text[-1] == '.':
                raise self.error('bad number')
        if self.peek() in ('e', 'E'):
            convert = float
            text += self.next() + self.take_while('+-0123456789')
        return convert(text)


def loads(text):
    reader = Reader(text)
    result = reader.value()
    if reader.peek():
        raise reader.error('extra data')
    return result


def dumps(obj):
    if obj is None or obj is True or obj is False:
        return {None: 'null', True: 'true', False: 'false'}[obj]
    if isinstance(obj, (int, float)):
        return repr(obj)
    if isinstance(obj, str):
        back = {v: '\\' + k for k, v in ESCAPES.items() if k != '/'}
        return '"' + ''.join(back.get(c, c if ' ' <= c <= '~' else '\\u%04x' % ord(c)) for c in obj) + '"'
    if isinstance(obj, dict):
        return '{' + ', '.join(dumps(k) + ': ' + dumps(v) for k, v in obj.items()) + '}'
    return '[' + ', '.join(map(dumps, obj)) + ']'


documents = ['{}', ' [ ] ', '"a\\n\\u00e9\\ud83d\\ude00"', '[1, -2.5e3, 0, 1E2]', '{"a": {"b": [true, false, null]}}',
             '\n{"x" : 1 ,\t"y":[{}, []]}\n', '"\\"\\\\\\/"', '-0.5']
for doc in documents:
    assert loads(doc) == json.loads(doc), doc
for bad in ['', '{', '[1,]', '{"a" 1}', '01', '"\\x"', '"\\u12g4"', 'nul', '[1] 2', '{"a":1,}', '1.', '"tab\t"']:
    try:
        loads(bad)
    except JSONError as e:
        print(bad.__repr__(), '->', e)
    else:
        raise AssertionError(bad)
try:
    loads('{\n  "a": 1\n  "b": 2\n}')
except JSONError as e:
    assert (e.lineno, e.colno) == (3, 3), (e.lineno, e.colno)
sample = {'k': ['v"\\', 'é', None, True, 1.5, {'n': {}}], 'tab\t': -3}
assert dumps(sample) == json.dumps(sample) and loads(dumps(sample)) == sample
