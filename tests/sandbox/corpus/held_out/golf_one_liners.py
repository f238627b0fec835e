# code golf: as few characters as possible, checked at the end
from functools import*
from itertools import*
from math import*
import re,random
f=lambda n:n<2 or n*f(n-1)
F=lambda n,a=0,b=1:F(n-1,b,a+b)if n else a
P=lambda n:[p for p in range(2,n)if all(p%q for q in range(2,p))]
R=lambda n:''.join(s*(n//v%(w//v))for v,w,s in[(1000,10**9,'M')])+''.join([['','C','CC','CCC','CD','D','DC','DCC','DCCC','CM'][n//100%10],['','X','XX','XXX','XL','L','LX','LXX','LXXX','XC'][n//10%10],['','I','II','III','IV','V','VI','VII','VIII','IX'][n%10]])
p=lambda s:s==s[::-1]
t=lambda m:[*map(list,zip(*m))]
rot=lambda m:[*map(list,zip(*m[::-1]))]
c=lambda s:re.sub(r'(.)\1*',lambda m:m[1]+str(len(m[0])),s)
u=lambda s:[*dict.fromkeys(s)]
b=lambda n:n and b(n//2)+str(n%2)or''
h=lambda n:(n*n+n)//2
g=lambda x,*y:g(y[0]%x if x else 0,x or y[0])if x else y[0]
Y=lambda f:(lambda x:x(x))(lambda x:f(lambda*a:x(x)(*a)))
A=lambda m,n:n+1 if m<1 else A(m-1,A(m,n-1)if n else 1)
q=lambda n,i=0,a=(),:[a]*(i==n)or sum([q(n,i+1,a+(j,))for j in range(n)if all(j!=k and i-l!=abs(j-k)for l,k in enumerate(a))],[])
life=lambda S:{z for z in{x+d for x in S for d in(0,1,-1,1j,-1j,1+1j,1-1j,-1+1j,-1-1j)}if(lambda n:n==3 or n==4 and z in S)(sum(z+d in S for d in(0,1,-1,1j,-1j,1+1j,1-1j,-1+1j,-1-1j)))}
S=lambda n:[''.join(' *'[not(i&j)]for j in range(n))for i in range(n)]
e=lambda s:sum(map(int,filter(str.isdigit,s)))
hanoi=lambda n,a='A',b='B',c='C':n and hanoi(n-1,a,c,b)+[a+c]+hanoi(n-1,b,a,c)or[]
w=lambda s:max(s.split(),key=len)
fl=lambda l:sum(map(fl,l),[])if type(l)==list else[l]
x,*y=range(5);z={**dict(a=1),'b':2};print(x,y,z,*S(8),sep='\n')
assert[f(5),F(10),P(20),R(1994)]==[120,55,[2,3,5,7,11,13,17,19],'MCMXCIV']
assert p('racecar')and not p('ab')and t([[1,2],[3,4]])==[[1,3],[2,4]]and rot([[1,2],[3,4]])==[[3,1],[4,2]]
assert c('aaabcc')=='a3b1c2'and u('abracadabra')==[*'abrcd']and b(10)=='1010'and h(100)==5050
assert g(12,18)==gcd(12,18)==6 and Y(lambda r:lambda n:n<1 or n*r(n-1))(6)==720 and A(2,2)==7
assert len(q(6))==4 and life({0,1,2})=={1,1+1j,1-1j}and e('a1b22')==5
assert hanoi(2)==['AB','AC','BC']and w('a bbb cc')=='bbb'and fl([1,[2,[3,[4]]]])==[1,2,3,4]
while y:y.pop()if y[-1]%2 else y.remove(y[0])if len(y)>9 else y.clear()
for i in range(3):print(i,end=' 'if i<2 else'\n')
if 1:k=3;k+=1;k**=2;assert k==16
class C:__getitem__=lambda s,i:i;__call__=__getitem__;__add__=__radd__=lambda s,o:[o]
assert C()[1:2]==slice(1,2)and C()(3)==3 and C()+1==1+C()==[1]
print([*accumulate(range(6))],comb(5,2),reduce(lambda a,b:a*10+b,[1,2,3]),eval('2+3')if 1 else 0)
