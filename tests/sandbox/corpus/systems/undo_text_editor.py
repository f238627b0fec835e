from abc import ABC, abstractmethod
from contextlib import contextmanager

class Document(object):
    def __init__(self, text=''):
        self.text = text
        self.cursor = len(text)

    def __str__(self):
        return self.text[:self.cursor] + '|' + self.text[self.cursor:]

class Command(ABC):
    """Something that can be done to a document, and undone."""
    label = 'command'

    @abstractmethod
    def do(self, doc): ...

    @abstractmethod
    def undo(self, doc): ...

    def merge(self, other):
        return False

    def __repr__(self):
        args = ', '.join('%s=%r' % item for item in sorted(self.__dict__.items()) if not item[0].startswith('_'))
        return '%s(%s)' % (self.__class__.__name__, args)

class Insert(Command):
    label = 'typing'

    def __init__(self, text):
        self.text = text

    def do(self, doc):
        self._at = doc.cursor
        doc.text = doc.text[:self._at] + self.text + doc.text[self._at:]
        doc.cursor += len(self.text)

    def undo(self, doc):
        doc.text = doc.text[:self._at] + doc.text[self._at + len(self.text):]
        doc.cursor = self._at

    def merge(self, other):
        if type(other) is Insert and other._at == self._at + len(self.text) and not other.text.isspace():
            self.text += other.text
            return True
        return False

class Backspace(Command):
    label = 'deleting'

    def __init__(self, count=1):
        self.count = count

    def do(self, doc):
        start = max(0, doc.cursor - self.count)
        self._removed = doc.text[start:doc.cursor]
        doc.text = doc.text[:start] + doc.text[doc.cursor:]
        doc.cursor = start

    def undo(self, doc):
        doc.text = doc.text[:doc.cursor] + self._removed + doc.text[doc.cursor:]
        doc.cursor += len(self._removed)

class Move(Command):
    def __init__(self, to):
        self.to = to

    def do(self, doc):
        self._old, doc.cursor = doc.cursor, min(max(self.to, 0), len(doc.text))
    def undo(self, doc):
        doc.cursor = self._old

class Replace(Command):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def do(self, doc):
        self._saved = doc.text, doc.cursor
        doc.text = doc.text.replace(self.old, self.new)
        doc.cursor = min(doc.cursor, len(doc.text))

    def undo(self, doc):
        doc.text, doc.cursor = self._saved

class Macro(Command):
    def __init__(self, name, commands=()):
        self.name = name
        self._commands = list(commands)

    @property
    def label(self):
        return self.name

    def do(self, doc):
        for c in self._commands:
            c.do(doc)

    def undo(self, doc):
        for c in reversed(self._commands):
            c.undo(doc)

class Editor:
    def __init__(self, text='', limit=100):
        self.doc = Document(text)
        self._undo, self._redo = [], []
        self._limit = limit
        self._recording = None

    def execute(self, command):
        command.do(self.doc)
        if self._recording is not None:
            self._recording._commands.append(command)
            return self
        self._redo.clear()
        if not (self._undo and self._undo[-1].merge(command)):
            self._undo.append(command)
            del self._undo[:-self._limit]
        return self

    def __getattr__(self, name):
        # editor.insert('x') runs Insert('x')
        commands = {c.__name__.lower(): c for c in Command.__subclasses__()}
        if name not in commands:
            raise AttributeError('%s has no command %r' % (type(self).__name__, name))
        return lambda *args: self.execute(commands[name](*args))

    def undo(self):
        if not self._undo: return None
        command = self._undo.pop()
        command.undo(self.doc)
        self._redo.append(command)
        return command.label

    def redo(self):
        if not self._redo: return None
        command = self._redo.pop()
        command.do(self.doc)
        self._undo.append(command)
        return command.label

    @contextmanager
    def group(self, name):
        macro = self._recording = Macro(name)
        try:
            yield macro
        except Exception:
            macro.undo(self.doc)
            raise
        else:
            self._undo.append(macro)
        finally:
            self._recording = None

def main():
    ed = Editor()
    for ch in 'hello':
        ed.insert(ch)
    ed.insert(' ').insert('world')
    assert str(ed.doc) == 'hello world|'
    assert repr(ed._undo) == "[Insert(text='hello'), Insert(text=' world')]", ed._undo
    ed.move(5).insert(',').backspace(2)
    assert str(ed.doc) == 'hell| world'
    states = []
    while label := ed.undo():
        states.append((label, str(ed.doc)))
    assert states[0] == ('deleting', 'hello,| world') and states[-1] == ('typing', '|')
    while ed.redo():
        pass
    assert str(ed.doc) == 'hell| world' and ed.redo() is None
    with ed.group('shout'):
        ed.replace('l', 'L')
        ed.move(99)
        ed.insert('!!!')
    assert str(ed.doc) == 'heLL worLd!!!|'
    assert ed.undo() == 'shout' and str(ed.doc) == 'hell| world'
    try:
        with ed.group('fails'):
            ed.insert('zzz')
            raise ValueError('stop')
    except ValueError:
        assert str(ed.doc) == 'hell| world'
    ed.insert('o')
    assert ed.redo() is None
    try:
        ed.explode()
    except AttributeError as e:
        assert str(e) == "Editor has no command 'explode'"

main()
