# Elevator simulation, beginner style: globals, while loops, and lots of printing.
import random

random.seed(11)

FLOORS = 8
CAPACITY = 4

floor = 0
direction = 1
time = 0
inside = []
waiting = []
for i in range(FLOORS):
    waiting.append([])
delivered = []
log = []
longest_wait = 0


class Person:
    number = 0

    def __init__(self, start, goal, born):
        Person.number += 1
        self.name = "P" + str(Person.number)
        self.start = start
        self.goal = goal
        self.born = born
        self.entered = None

    def going_up(self):
        return self.goal > self.start

    def __str__(self):
        if self.going_up():
            arrow = "^"
        else:
            arrow = "v"
        return self.name + "(" + str(self.start) + arrow + str(self.goal) + ")"


def say(*words):
    line = str(time).rjust(3) + ": " + " ".join(str(w) for w in words)
    log.append(line)


def new_person():
    start = random.randint(0, FLOORS - 1)
    goal = start
    while goal == start:
        goal = random.randint(0, FLOORS - 1)
    p = Person(start, goal, time)
    waiting[start].append(p)
    say(p, "is waiting")


def let_out():
    global inside
    staying = []
    for p in inside:
        if p.goal == floor:
            delivered.append((p, time - p.born))
            say(p.name, "leaves at", floor)
        else:
            staying.append(p)
    changed = len(staying) != len(inside)
    inside = staying
    return changed


def let_in():
    global longest_wait
    changed = False
    for p in waiting[floor][:]:
        if len(inside) >= CAPACITY:
            say("full!")
            break
        if p.going_up() == (direction > 0):
            waiting[floor].remove(p)
            inside.append(p)
            p.entered = time
            longest_wait = max(longest_wait, time - p.born)
            say(p.name, "enters at", floor)
            changed = True
    return changed


def work_ahead():
    """Is there any reason to go on in this direction?"""
    f = floor + direction
    while 0 <= f < FLOORS:
        if len(waiting[f]) > 0:
            return True
        for p in inside:
            if p.goal == f:
                return True
        f += direction
    return False


def anybody():
    if inside:
        return True
    for queue in waiting:
        if queue:
            return True
    return False


def step():
    global floor, direction, time
    out = let_out()
    if not work_ahead():
        direction = -direction
    came = let_in()
    if out or came:
        time += 2          # the doors
    if work_ahead():
        floor += direction
        time += 1
    else:
        time += 1


while Person.number < 25 or anybody():
    if Person.number < 25 and random.random() < 0.4:
        new_person()
    step()
    assert 0 <= floor < FLOORS, floor
    assert len(inside) <= CAPACITY
    assert time < 5000, "endless"

print("\n".join(log[:6]))
print("...")
print(log[-1])

total = 0
for p, wait in delivered:
    total += wait
    assert p.entered >= p.born
    assert wait > 0
average = total / len(delivered)
print("average time: %.1f, longest wait for the door: %d" % (average, longest_wait))

assert len(delivered) == 25
assert sorted(p.name for p, w in delivered) == sorted("P" + str(n) for n in range(1, 26))
assert log[0].endswith("is waiting")
assert average < 100
del total, average
try:
    print(total)
except NameError:
    pass
else:
    assert False
