# A text adventure, played by a script instead of a person.
import textwrap

ROOMS = {
    'hall': {
        'text': 'You are in a dusty hall. There is a big clock here, which has stopped.',
        'exits': {'north': 'library', 'east': 'kitchen'},
        'items': ['lamp'],
    },
    'library': {
        'text': 'Books everywhere. It is too dark to read the titles.',
        'exits': {'south': 'hall'},
        'items': ['key'],
        'dark': True,
    },
    'kitchen': {
        'text': 'It smells of old soup.',
        'exits': {'west': 'hall', 'down': 'cellar'},
        'items': ['cheese', 'knife'],
        'locked': {'down'},
    },
    'cellar': {'text': 'A cold cellar, with a mouse that guards a chest.', 'exits': {'up': 'kitchen'}, 'items': []},
}

SHORT = {'n': 'go north', 's': 'go south', 'e': 'go east', 'w': 'go west', 'i': 'inventory', 'l': 'look', 'x': 'look'}


class GameOver(Exception):
    pass


class Player:
    def __init__(self, name, room='hall'):
        self.name = name
        self.room = room
        self.bag = []
        self.score = 0
        self.__lamp_lit = False

    @property
    def lit(self):
        return self.__lamp_lit and 'lamp' in self.bag

    @lit.setter
    def lit(self, value):
        if value and 'lamp' not in self.bag:
            raise ValueError('You have no lamp.')
        self.__lamp_lit = bool(value)


class Game:
    def __init__(self, name):
        self.player = Player(name)
        self.rooms = {name: {**room, 'items': list(room['items']), 'locked': set(room.get('locked', ()))}
                      for name, room in ROOMS.items()}
        self.turns = 0
        self.mouse_happy = False

    @property
    def here(self):
        return self.rooms[self.player.room]

    def play(self, commands):
        transcript = []
        try:
            for line in commands:
                transcript.append('> ' + line)
                transcript.append(self.command(line))
        except GameOver as end:
            transcript.append(str(end))
        return transcript

    def command(self, line):
        self.turns += 1
        line = SHORT.get(line, line)
        match line.lower().split():
            case []:
                return 'Say something.'
            case ['go', ('north' | 'south' | 'east' | 'west' | 'up' | 'down') as way] | [('up' | 'down') as way]:
                return self.go(way)
            case ['go', where]:
                return 'Where is %s?' % where
            case ['look']:
                return self.describe()
            case ['take', 'all'] if self.visible():
                return ' '.join([self.take(item) for item in list(self.here['items'])]) or 'Nothing to take.'
            case ['take' | 'get', *words]:
                return self.take(words[-1]) if words else 'Take what?'
            case ['drop', item] if item in self.player.bag:
                self.player.bag.remove(item)
                self.here['items'].append(item)
                return 'Dropped.'
            case ['light', 'lamp']:
                try:
                    self.player.lit = True
                except ValueError as e:
                    return str(e)
                return 'The lamp burns.'
            case ['unlock', *_] if 'key' in self.player.bag and self.here['locked']:
                self.here['locked'].clear()
                self.player.score += 5
                return 'Click!'
            case ['give', thing, 'to', 'mouse'] | ['feed', 'mouse', 'with', thing]:
                return self.feed(thing)
            case ['open', 'chest'] if self.player.room == 'cellar':
                if not self.mouse_happy:
                    return 'The mouse bites you.'
                self.player.score += 20
                raise GameOver(f'You found the treasure, {self.player.name}! {self.player.score} points in {self.turns} turns.')
            case ['inventory']:
                return 'You carry: ' + (', '.join(sorted(self.player.bag)) or 'nothing') + '.'
            case ['quit']:
                raise GameOver('Bye.')
            case [verb, *_]:
                return f"I don't know how to {verb}."

    def visible(self):
        return self.player.lit or not self.here.get('dark')

    def go(self, way):
        if way in self.here['locked']:
            return 'That way is locked.'
        try:
            self.player.room = self.here['exits'][way]
        except KeyError:
            return 'You bump into a wall.'
        else:
            return self.describe()

    def describe(self):
        if not self.visible():
            return 'It is pitch dark.'
        text = self.here['text']
        if items := self.here['items']:
            *most, last = items
            text += ' You see a ' + (', a '.join(most) + ' and a ' if most else '') + last + '.'
        return '\n'.join(textwrap.wrap(text + ' Exits: ' + ', '.join(self.here['exits']) + '.', 60))

    def take(self, item):
        if not self.visible():
            return 'You grope about in the dark.'
        if item not in self.here['items']:
            return 'There is no ' + item + '.'
        self.here['items'].remove(item)
        self.player.bag += [item]
        self.player.score += 1
        return 'Taken: ' + item + '.'

    def feed(self, thing):
        if self.player.room != 'cellar':
            return 'Which mouse?'
        if thing not in self.player.bag:
            return 'You have no ' + thing + '.'
        if thing != 'cheese':
            return 'The mouse looks offended.'
        self.player.bag.remove('cheese')
        self.mouse_happy = True
        return 'Squeak!'


walkthrough = ['l', 'light lamp', 'take the lamp', 'n', 'light lamp', 'l', 'take key', 's', 'w', 'e', 'down', 'take all', 'unlock door',
               'down', 'open chest', 'give knife to mouse', 'give cheese to mouse', 'i', 'dance', '', 'go home', 'drop knife',
               'open chest', 'never reached']
game = Game('Ann')
lines = game.play(walkthrough)
for l in lines:
    print(l)
assert lines[1].startswith('You are in a dusty hall.') and lines[1].split()[-7:] == 'You see a lamp. Exits: north, east.'.split()
assert lines[3] == 'You have no lamp.'
assert lines[7] == 'It is pitch dark.' and 'a key' in lines[11]
assert lines[17] == 'You bump into a wall.' and lines[21] == 'That way is locked.'
assert lines[23] == 'Taken: cheese. Taken: knife.'
assert lines[29] == 'The mouse bites you.' and lines[31] == 'The mouse looks offended.'
assert lines[-1] == 'You found the treasure, Ann! 29 points in 23 turns.', lines[-1]
assert game.here['items'] == ['knife'] and ROOMS['hall']['items'] == ['lamp']
assert Game('Bob').play(['quit', 'l']) == ['> quit', 'Bye.']
