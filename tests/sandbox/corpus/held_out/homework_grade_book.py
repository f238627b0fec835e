# CS101 Homework 3 - Grade book
# Student: J. Smith

def get_letter(score):
    if score >= 90:
        return 'A'
    elif score >= 80:
        return 'B'
    elif score >= 70:
        return 'C'
    elif score >= 60:
        return 'D'
    else:
        return 'F'

def average(numbers):
    total = 0
    for number in numbers:
        total = total + number
    return total / len(numbers)

# simulated user input
inputs = iter(["add", "Ann", "90 85 77", "add", "Bob", "55 62 70", "add", "Cy", "abc", "add",
               "Cy", "100 99 98", "show", "best", "bogus", "remove", "Bob", "show", "quit"])

def ask(prompt):
    answer = next(inputs)
    print(prompt + answer)
    return answer

students = {}

def add_student():
    name = ask("Name? ")
    text = ask("Scores? ")
    try:
        scores = [int(x) for x in text.split()]
    except ValueError as e:
        print("Error:", e)
        return
    students[name] = scores

def show():
    print("=" * 30)
    print("Name".ljust(10), "Avg".rjust(8), "Grade".rjust(8))
    print("-" * 30)
    for name in students:
        avg = average(students[name])
        print(name.ljust(10), str(round(avg, 1)).rjust(8), get_letter(avg).rjust(8))
    print("=" * 30)

def best():
    best_name = None
    best_avg = -1
    for name, scores in students.items():
        if average(scores) > best_avg:
            best_avg = average(scores)
            best_name = name
    print("Best student is", best_name, "with", best_avg)
    return best_name

running = True
while running:
    command = ask("> ")
    if command == "add":
        add_student()
    elif command == "show":
        show()
    elif command == "best":
        winner = best()
    elif command == "remove":
        del students[ask("Name? ")]
    elif command == "quit":
        running = False
    else:
        print("Unknown command: " + command)

assert winner == "Cy"
assert list(students.keys()) == ["Ann", "Cy"]
assert get_letter(average(students["Ann"])) == "B"
print("Bye!")
