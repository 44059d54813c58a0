# Keys of dicts and sets that are equal to keys of another kind: of classes derived from str and int, enums, and objects whose
# __hash__ and __eq__ say so.
import collections
import copy
import enum

asked = []


class Text(str):
    pass


class Whole(int):
    pass


class Act(str, enum.Enum):
    RELU = 'relu'
    GELU = 'gelu'


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Name:
    def __init__(self, text, act=None):
        self.text = text
        self.act = act

    def __hash__(self):
        return hash(self.text)

    def __eq__(self, other):
        asked.append((self.text, other.text if isinstance(other, Name) else other))
        if self.act is not None:
            self.act()
        return self.text == (other.text if isinstance(other, Name) else other)

    def __repr__(self):
        return 'Name(%r)' % (self.text,)


def caught(work):
    try:
        return work()
    except Exception as e:
        return type(e).__name__ + ': ' + str(e)


def show(*values):
    print(*values, asked)
    asked.clear()


layers = {'relu': 'ReLU', 'gelu': 'GELU', 1: 'one', 2.0: 'two', (1, 'relu'): 'pair', None: 'none', 2**70: 'huge', 0.5: 'half'}
show(layers[Act.RELU], layers[Text('gelu')], layers[Level.LOW], layers[Level.HIGH], layers[Whole(2)], layers[True], layers[(Level.LOW, Act.RELU)],
     layers[(Whole(1), Text('relu'))], layers[2.0**70], layers.get(Text('none')), Act.GELU in layers, Text('x') in layers, Whole(3) in layers)
show(layers[Name('relu')], layers.get(Name('tanh')), Name('gelu') in layers, layers[Name(1)], layers[Name(2)], layers[Name(0.5)], layers[(1, Name('relu'))], layers[Name(None)],
     layers[Name(2**70)])
names = {Act.RELU: 1, Text('t'): 2, Level.HIGH: 3, Name('n'): 4, Whole(7): 5}
show(names['relu'], names['t'], names[2], names['n'], names[7.0], names[7], 'n' in names, 'm' in names, caught(lambda: names['m']))
names['relu'] = 10
names['n'] = 40
names[2] = 30
show(names, len(names), [type(key).__name__ for key in names])
show(names.pop('n'), names.setdefault('t', 0), names.pop('t', None), names.pop('t', 'gone'), len(names))
del names['relu']
show(names)
alike = ({'a', 'b'} & {Text('a'), Name('b')} == {'a', 'b'}, {Name('a')} == {'a'}, {1, 2} >= {Whole(1)}, {'a': 1} == {Text('a'): 1}, {Name('a'): 1} == {'a': 1}, {'x', Text('x')},
     len({1, 1.0, True, Whole(1), Level.LOW}))
asked.clear()  # in what order a set of texts is walked differs from run to run
show(*alike)
d = dict([(Name('k'), 1)], k=2)
d.update(k=3)
show(d, dict({Text('k'): 1}, k=2), {**{Text('k'): 1}, 'k': 2}, collections.OrderedDict([(Act.RELU, 1)])['relu'], collections.Counter(['a', Text('a'), Name('a')])['a'])
show(copy.deepcopy(d), copy.copy(d), 'ab'.translate({Name(97): 'x', Whole(98): 'y'}))
show(caught(lambda: {[]: 1}), caught(lambda: {}[Name([])]), caught(lambda: {(1, []): 1}))

# The one that is there is asked, and may change the dict.
d = {}
d[Name('k', lambda: d.clear() if len(asked) < 3 else None)] = 1
show(caught(lambda: d.get('k', 'missing')), len(d))
d[Name('k', lambda: d.update((str(i), i) for i in range(100)))] = 1
grown = d.get('k', 'missing'), len(d), d.pop('k', 'missing'), len(d)
asked.clear()  # CPython asks again when the table has grown
show(*grown)
d = {}
d['k'] = 1
show(Name('k') in d, d.get(Name('k', d.clear), 'missing'), len(d))


class Big:
    def __hash__(self):
        return 2**70

    def __eq__(self, other):
        return isinstance(other, Big) or other == 2**70


class Least:
    def __hash__(self):
        return -1

    def __eq__(self, other):
        return other == -1 or isinstance(other, Least)


class Bad:
    def __hash__(self):
        return 'x'


show(hash(Big()) == hash(2**70), {2**70: 1}[Big()], {Big(): 2}[2**70], {Big(): 3}[Big()], hash(Least()), {-1: 4}[Least()], caught(lambda: {Bad(): 1}))
show([hash(x) for x in (0, -1, 1, 2**61 - 1, 2**61, -2**61, 2**70, 0.5, -0.5, 1.5, 1e300, -1e-300, 5e-324, 2.0**61, float('inf'), -float('inf'), 3 + 0j, 1.5 + 2j, True)])
show(hash((1, 2.0, 'a')) == hash((True, 2, Text('a'))), hash(Act.RELU) == hash('relu'), hash(Level.LOW) == 1, {0: 'zero'}[-0.0], {1j: 'i'}[complex(0, 1)], {3: 'c'}[3 + 0j])
