a = {1, 2, 3}
b = frozenset([2, 3, 4])
print(a & b, a | b, a - b, a ^ b, type(a & b).__name__, type(b & a).__name__)
a |= {7}; a &= {1, 7, 2}; a -= {2}; a ^= {9}
print(sorted(a), 1 in a, len(a))
print(a.issubset({1,7,9,10}), a.isdisjoint({5}), a.union([5],[6]) == {1,7,9,5,6}, a.intersection([1]), a.difference([1,9]))
a.update([3],[4]); a.discard(100); a.remove(3)
try: a.remove(333)
except KeyError as e: print('KeyError', e)
print(sorted(a.symmetric_difference([4, 50])), a.copy() == a, a <= a, a < a, {1} < a)
print({frozenset({1}): 2}[frozenset([1])], hash(frozenset({1,2})) == hash(frozenset({2,1})))
s = {x % 3 for x in range(10)}
print(s, set(), frozenset(), set('') == set(), a.pop() in (1,7,9,4))
class Tags(set):
    def __init__(self, *names):
        super().__init__(names)
        self.extra = 'x'
    def add(self, name):
        print('adding', name)
        super().add(name)
    def has(self, n): return n in self
t = Tags('a', 'b')
t.add('c'); t.update(['d'])
print(sorted(t), len(t), t.has('c'), t.extra, isinstance(t, set), type(t).__name__, 'a' in t, t == {'a','b','c','d'})
print(sorted(t | {'z'}), type(t | {'z'}).__name__)
for n in sorted(t): print(n, end=' ')
print(Tags('q'), bool(Tags()))
class FS(frozenset):
    def __new__(cls, *a): return super().__new__(cls, a)
print(FS(1,2), FS(1) == {1}, hash(FS(1)) == hash(frozenset([1])))
class Stack(list):
    def push(self, x): self.append(x); return self
    @property
    def top(self): return self[-1]
    def __getitem__(self, i):
        r = super().__getitem__(i)
        return Stack(r) if isinstance(i, slice) else r
s = Stack([1]).push(2).push(3)
print(s, s.top, s[1:], type(s[1:]).__name__, len(s), s + [4], sorted(s, reverse=True), 2 in s)
class Config(dict):
    def __getattr__(self, k):
        try: return self[k]
        except KeyError: raise AttributeError(k) from None
    def __setattr__(self, k, v): self[k] = v
    def __missing__(self, k): return f'<{k}>'
c = Config(a=1, b=Config(z=2))
c.d = 4
print(c, c.a, c.b.z, c['zz'], getattr(c, 'nope', 'dflt'), {**c}, list(c.items()), c.get('q'))
class T2(tuple):
    def __new__(cls, a, b): return tuple.__new__(cls, (a, b))
    def swap(self): return T2(self[1], self[0])
    def __repr__(self): return f'T2{tuple(self)!r}'
t = T2(1, 2)
print(t, t.swap(), t + (3,), t == (1, 2), len(t), isinstance(t, tuple), {t: 1}[(1, 2)])
x, y = t
print(x, y)
class S(str):
    def shout(self): return S(self.upper() + '!')
print(S('hi').shout().shout(), len(S('ab')), S('a') + 'b', type(S('a') + 'b').__name__)
class I(int):
    def __add__(self, o): return I(int(self) + int(o) + 1)
print(I(3) + 4, I(3) * 2, type(I(3) + 1).__name__, sum([I(1), I(2)]))
class F(float): pass
print(F(1.5) + 1, F('2'))
from collections import UserDict, defaultdict, Counter, deque, OrderedDict, ChainMap
class U(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.lower(), v)
u = U(A=1); u['B'] = 2
print(u, dict(u), 'a' in u, u.data)
class DD(defaultdict):
    def __missing__(self, key):
        v = self[key] = self.default_factory(key); return v
d = DD(lambda k: k * 2); print(d[4], dict(d))
class Cn(Counter): pass
print(Cn('abca').most_common(1), Counter('aab') + Counter('b'), Counter(a=3) - Counter(a=1))
class LRU(OrderedDict):
    def __init__(self, n): super().__init__(); self.n = n
    def __setitem__(self, k, v):
        super().__setitem__(k, v)
        self.move_to_end(k)
        if len(self) > self.n: self.popitem(last=False)
l = LRU(2); l['a'] = 1; l['b'] = 2; l['c'] = 3; l['b'] = 5; l['d'] = 1
print(list(l.items()))
class D(deque):
    def __init__(self, n): super().__init__(maxlen=n)
q = D(2); q.append(1); q.append(2); q.append(3); print(list(q), q.maxlen)
print(ChainMap({'a': 1}, {'a': 2, 'b': 3})['b'])
class ReplayBuffer(deque):
    pass
class NS(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
n = NS(x=1); n.y = 2; print(n.x, n.y, n.zz); del n.x; print(n)
