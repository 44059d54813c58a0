# Containers that the program's own __hash__, __eq__, __index__ change while they are worked on.

class K:
    def __init__(self, n, act=None):
        self.n = n
        self.act = act

    def __hash__(self):
        return 1

    def __eq__(self, other):
        if self.act is not None:
            self.act()
        if isinstance(other, K) and other.act is not None:
            other.act()
        return isinstance(other, K) and self.n == other.n

    def __repr__(self):
        return f'K{self.n}'


s = set()
s.add(K(1, s.clear))
s.add(K(2))
print(s)
s = set()
s.add(K(1, s.clear))
print(K(2) in s, len(s))
s.add(K(1, s.clear))
s.discard(K(2))
print(len(s))
s.add(K(1, s.clear))
try:
    s.remove(K(2))
except KeyError as error:
    print('KeyError', error)
s = {K(1), K(2)}
s.add(K(3, s.clear))
s.update([K(4), K(5)])
print(sorted(k.n for k in s))
s = {K(1), K(2)}
s |= {K(3)}
print(len(s), K(2) in s, K(9) in s)
print(len({K(1), K(2)} & {K(2), K(3)}), {K(1), K(2)} == {K(2), K(1)})

for name in ['set', 'get', 'pop', 'setdefault', 'in', 'item', 'del', 'update']:
    d = {}
    d[K(1, d.clear)] = 'one'
    k = K(2)
    try:
        if name == 'set':
            d[k] = 'two'
            result = 'set'
        elif name == 'get':
            result = d.get(k, 'missing')
        elif name == 'pop':
            result = d.pop(k, 'missing')
        elif name == 'setdefault':
            result = d.setdefault(k, 'two')
        elif name == 'in':
            result = k in d
        elif name == 'item':
            result = d[k]
        elif name == 'del':
            del d[k]
            result = 'deleted'
        else:
            d.update({k: 'two'})
            result = 'updated'
    except KeyError as error:
        result = f'KeyError {error}'
    print(name, result, d)

d = {}
for i in range(20):
    d[K(i)] = i
print(len(d), d[K(7)], d.pop(K(3)), d.get(K(3)), d.setdefault(K(4), 'no'), d.popitem())
d = {(K(1), 'a'): 1, (K(2), 'a'): 2}
print(d[(K(2), 'a')], (K(3), 'a') in d, d == {(K(2), 'a'): 2, (K(1), 'a'): 1})
f = {frozenset([K(1), K(2)]): 'both'}
print(f.get(frozenset([K(2), K(1)])), f.get(frozenset([K(2)])))


class Index:
    def __init__(self, values, at):
        self.values = values
        self.at = at

    def __index__(self):
        self.values.clear()
        return self.at


l = list(range(10))
l[0:Index(l, 3)] = [1, 2]
print(l)
l = list(range(10))
try:
    del l[Index(l, 3)]
except IndexError as error:
    print(error)
l = list(range(10))
del l[0:Index(l, 3)]
print(l)
l = list(range(10))
del l[::Index(l, 2)]
print(l)
l = list(range(10))
l.insert(Index(l, 5), 1)
print(l)
l = list(range(10))
try:
    l.pop(Index(l, 5))
except IndexError as error:
    print(error)
l = list(range(10))
try:
    l[Index(l, 3)] = 5
except IndexError as error:
    print(error)
l = list(range(10))
try:
    print(l[Index(l, 3)])
except IndexError as error:
    print(error)
l = list(range(10))
print(l[1:Index(l, 3)], l)
l = list(range(10))
try:
    l.index(3, Index(l, 1))
except ValueError as error:
    print(error)
print([1, 2, 3, 2].index(2, 2), [1, 2, 3, 2].index(2, -3, -1))
try:
    [1, 2, 3].index(3, 0, 2)
except ValueError as error:
    print(error)


class Clears:
    def __init__(self, values, result):
        self.values = values
        self.result = result

    def __eq__(self, other):
        self.values.clear()
        return self.result


for result in [False, True]:
    l = [1, 2, 3]
    try:
        l.remove(Clears(l, result))
        print('removed', l)
    except ValueError:
        print('not there', l)
    l = [1, 2, 3]
    print(l.count(Clears(l, result)), l)
    l = [1, 2, 3]
    print(Clears(l, result) in l, l)

l = [3, 1, 2]
try:
    l.sort(key=lambda x: l.append(x) or x)
except ValueError as error:
    print(error, l)


def nested(it):
    for x in it:
        yield x


it = iter([1])
for i in range(4000):
    it = nested(it)
try:
    list(it)
except RecursionError as error:
    print('RecursionError', error)
del it
it = iter([1, 2])
for i in range(300):
    it = nested(it)
print(next(it))
del it
it = iter([1])
for i in range(100000):
    it = nested(it)
del it
print('ended')
