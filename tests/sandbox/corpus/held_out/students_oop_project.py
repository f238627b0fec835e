#Simple school management program. My first OOP project :)
class Person:
    def __init__(self,name,age):
        self.name=name
        self.age=age
    def introduce(self):
        print("Hi, I am "+self.name+" and I am "+str(self.age)+" years old")
class Student(Person):
    school="Green High"
    count=0
    def __init__(self,name,age,marks=None):
        Person.__init__(self,name,age)
        if marks==None:
            marks=[]
        self.marks=marks
        Student.count=Student.count+1
        self.roll=Student.count
    def add_mark(self,m):
        if m<0 or m>100:
            print("Invalid mark!")
            return False
        self.marks.append(m)
        return True
    def average(self):
        if len(self.marks)==0:
            return 0
        return sum(self.marks)/len(self.marks)
    def __gt__(self,other):
        return self.average()>other.average()
    def display(self):
        print("Roll:",self.roll,"Name:",self.name,"Average:",round(self.average(),2))
class Teacher(Person):
    def __init__(self,name,age,subject):
        super().__init__(name,age)
        self.subject=subject
    def grade(self,student,mark):
        print(self.name,"gives",mark,"in",self.subject,"to",student.name)
        return student.add_mark(mark)
class ClassRoom:
    def __init__(self):
        self.students=[]
    def add(self,s):
        self.students.append(s)
    def find(self,name):
        for s in self.students:
            if s.name.lower()==name.lower():
                return s
        return None
    def topper(self):
        top=self.students[0]
        for s in self.students:
            if s>top:
                top=s
        return top
    def sort_by_name(self):
        n=len(self.students)
        for i in range(n):
            for j in range(0,n-i-1):
                if self.students[j].name>self.students[j+1].name:
                    self.students[j],self.students[j+1]=self.students[j+1],self.students[j]
room=ClassRoom()
for info in [["Ravi",15],["Mia",14],["Lee",16]]:
    room.add(Student(*info))
t=Teacher("Mr. Bean",40,"Maths")
t.introduce()
marks={"ravi":[80,90],"MIA":[95,99,120],"Lee":[60]}
for k in marks:
    s=room.find(k)
    for m in marks[k]:
        t.grade(s,m)
room.sort_by_name()
for s in room.students:
    s.display()
names=[s.name for s in room.students]
assert names==["Lee","Mia","Ravi"]
assert room.topper().name=="Mia"
assert room.find("nobody")==None
assert Student.count==3 and room.find("lee").roll==3
assert Student("x",1).marks is not Student("y",2).marks
total=0
for s in room.students: total+=s.average()
print("Class average: %.2f"%(total/len(room.students)))
print(type(t).__name__,isinstance(t,Person),t.__dict__)
del room.students[0]
assert len(room.students)==2
