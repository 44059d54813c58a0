# SPDX-License-Identifier: Apache-2.0
from collections import OrderedDict, defaultdict, Counter, deque, ChainMap

od = OrderedDict([('a', 1), ('b', 2)])
od['c'] = 3
od.move_to_end('a')
print(od, list(od), od.popitem(last=False), od.popitem(), len(od), OrderedDict(a=1) == {'a': 1}, isinstance(od, dict))
print(OrderedDict(), OrderedDict([(1, 2), (3, 4)]) == OrderedDict([(3, 4), (1, 2)]), [k for k in reversed(OrderedDict(x=1, y=2))])
dd = defaultdict(list)
for word in ['apple', 'avocado', 'bean']:
    dd[word[0]].append(word)
print(dd, dict(dd), dd['zzz'], 'q' in dd, dd.get('q'), len(dd))
nested = defaultdict(lambda: defaultdict(int))
nested['a']['b'] += 5
print(nested['a']['b'], nested['x']['y'], sorted(nested))
counts = Counter('abracadabra')
print(counts, counts['a'], counts['zz'], counts.most_common(2), sum(counts.values()), sorted(counts.elements())[:4])
counts.update('aaa')
counts.subtract({'a': 2})
print(counts['a'], Counter(a=3, b=1) + Counter(a=1, c=2), Counter(a=3, b=1) - Counter(a=1, b=2), Counter([1, 1, 2]), Counter())
print(Counter(a=1, b=5) & Counter(a=3, b=2), Counter(a=1, b=5) | Counter(a=3, b=2), Counter('hello').total(), dict(Counter('aab')))
d = deque([1, 2, 3], maxlen=4)
d.append(4); d.append(5); d.appendleft(0)
print(d, len(d), d[0], d[-1], d.pop(), d.popleft(), list(d), 3 in d, bool(deque()))
d = deque(range(5))
d.rotate(2)
print(d, d.index(1), d.count(3), list(reversed(d)))
d.extend([7, 8]); d.extendleft([9, 10]); d.remove(7)
print(d, sum(d), max(d), deque('ab') == deque(['a', 'b']))
try:
    deque().pop()
except IndexError as error:
    print(error)
cm = ChainMap({'a': 1}, {'a': 2, 'b': 3})
print(cm['a'], cm['b'], cm.get('z'), 'b' in cm, sorted(cm))


class Config(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value


cfg = Config(lr=0.1, layers=[1, 2])
cfg.batch = 32
print(cfg.lr, cfg, cfg['batch'], hasattr(cfg, 'nope'), {**cfg}, isinstance(cfg, dict), len(cfg), list(cfg))


class Stack(list):
    def push(self, item):
        self.append(item)
        return self

    @property
    def top(self):
        return self[-1]


s = Stack([1])
s.push(2).push(3)
s.label = 'mine'
print(s, s.top, len(s), s.label, s + [4], isinstance(s, list), sorted(s, reverse=True), s[1:], sum(s))


class Upper(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key.upper(), value)

    def __getitem__(self, key):
        return super().__getitem__(key.upper())

    def __contains__(self, key):
        return super().__contains__(key.upper())


u = Upper()
u['a'] = 1
print(u, u['A'], u['a'], 'a' in u, u.get('A'))
