# What a function does with a generator that looks at the container that it fills, changes it, or raises in the midst.
import collections
import functools
import heapq
import io
import itertools

programs = []
seen = []


def program(function):
    programs.append(function)
    return function


def noting(values, note=None, fails_at=None):
    for at, value in enumerate(values):
        if at == fails_at:
            raise KeyError('stop')
        seen.append(value if note is None else note())
        yield value


def caught(work):
    try:
        return work()
    except Exception as e:
        return type(e).__name__ + ': ' + str(e)


@program
def extend_is_seen():
    a = [9]
    return caught(lambda: a.extend(noting('abc', lambda: len(a)))), a


@program
def extend_that_raises():
    a = [9]
    return caught(lambda: a.extend(noting('abc', fails_at=2))), a


@program
def extend_by_itself():
    a = [1, 2]
    a.extend(a)
    a += a
    a[1:1] = a
    return a


@program
def extend_by_what_changes_it():
    a = [1, 2, 3]
    a.extend(a.pop() for _ in range(2))
    return a


@program
def extend_by_kinds():
    a = []
    for more in ((1, 2), 'xy', {3: 4}, {5}, range(2), b'z', iter([6]), map(abs, [-7]), {8: 9}.items()):
        a.extend(more)
    return a, caught(lambda: a.extend(5)), len(a)


@program
def add_in_place_is_seen():
    a = [9]
    a += noting('abc', lambda: list(a))
    return a


@program
def add_in_place_that_raises():
    a = [9]

    def work():
        nonlocal a
        a += noting('abc', fails_at=1)

    return caught(work), a


@program
def add_in_place_to_an_attribute():
    class Holder:
        pass

    holder = Holder()
    holder.values = kept = [0]

    def work():
        holder.values += noting('abc', fails_at=2)

    return caught(work), holder.values, holder.values is kept


@program
def init_of_a_list():
    a = [1, 2, 3]
    first = caught(lambda: a.__init__(noting('ab', lambda: len(a))))
    second = caught(lambda: list.__init__(a, noting('ab', fails_at=1)))
    kept = list(a)
    a.__init__()
    return first, second, kept, a


@program
def derived_list():
    class Mine(list):
        def append(self, value):
            raise AssertionError

    a = Mine(noting('ab'))
    a.extend(noting('cd', lambda: len(a)))
    a += noting('ef', lambda: len(a))
    return a, type(a) is Mine, caught(lambda: Mine(noting('ab', fails_at=1)))


@program
def list_and_tuple():
    return caught(lambda: list(noting('ab', fails_at=1))), caught(lambda: tuple(noting('ab', fails_at=1))), tuple(noting('ab')), list(noting('ab'))


@program
def slice_is_assigned():
    a = [0, 1, 2, 3]
    first = caught(lambda: a.__setitem__(slice(1, 3), noting('abc', lambda: list(a), fails_at=1)))
    kept = list(a)
    a[1:3] = noting('abc', lambda: list(a))
    a[::2] = noting('xyz')
    return first, kept, a, caught(lambda: a.__setitem__(slice(0, 1), 5)), caught(lambda: a.__setitem__(slice(0, None, 2), 5))


@program
def slice_of_what_changes():
    a = [0, 1, 2, 3]

    def shrinks():
        del a[1:]
        yield 'x'

    a[1:3] = shrinks()
    b = [0, 1, 2, 3]

    def grows():
        b.append(4)
        b.insert(0, -1)
        yield 'y'

    b[-2:] = grows()
    return a, b, caught(lambda: a.__setitem__(slice(0, None, 2), noting('pqr')))


@program
def set_update_is_seen():
    s = {1}
    s.update(noting([2, 3], lambda: len(s)), noting([3, 4], lambda: len(s)))
    return sorted(s)


@program
def set_update_that_raises():
    s = {1}
    return caught(lambda: s.update(noting([2, 3, 4], fails_at=2))), sorted(s), caught(lambda: s.update([5, [], 6])), sorted(s), caught(lambda: s.update([7], 8)), sorted(s)


@program
def set_is_made():
    return caught(lambda: set(noting([1, 2], fails_at=1))), caught(lambda: set(noting([1, [], 3]))), sorted(set(noting([3, 3, 1]))), caught(lambda: frozenset(noting([{}, 1])))


@program
def init_of_a_set():
    s = {1, 2}
    first = caught(lambda: s.__init__(noting([5, 6], lambda: sorted(s), fails_at=1)))
    kept = sorted(s)
    s.__init__()
    return first, kept, s


@program
def set_intersection_update():
    s = {1, 2, 3}
    first = caught(lambda: s.intersection_update([1, 2], noting([1, 2], fails_at=1)))
    kept = sorted(s)
    s.intersection_update(noting([3, 4, 1], lambda: len(s)), (1,))
    return first, kept, s, caught(lambda: s.intersection_update(noting([[]])))


@program
def set_difference_update():
    s = {1, 2, 3, 4}
    first = caught(lambda: s.difference_update(noting([1, 2, 3], lambda: len(s), fails_at=2)))
    kept = sorted(s)
    s.difference_update(s)
    return first, kept, s


@program
def set_symmetric_difference_update():
    s = {1, 2}
    s.symmetric_difference_update(noting([2, 3, 3], lambda: len(s)))
    kept = sorted(s)
    return kept, caught(lambda: s.symmetric_difference_update(noting([4, 5], fails_at=1))), sorted(s)


@program
def set_questions():
    s = {1, 2}
    return (s.isdisjoint(noting([5, 1, 6])), s.issubset(noting([2, 1, 0])), s.issuperset([1]), sorted(s.union(noting([7]), noting([8]))),
            s.difference(noting([1])), s.intersection(noting([2, 9])), caught(lambda: s.union(noting([7], fails_at=0))))


@program
def dict_update_is_seen():
    d = {}
    d.update(noting([('a', 1), ('b', 2)], lambda: dict(d)), c=3)
    return d


@program
def dict_update_that_raises():
    d = {'z': 0}
    return (caught(lambda: d.update(noting([('a', 1), ('b', 2)], fails_at=1), c=3)), caught(lambda: d.update([('x', 1), ('y',), ('w', 2)])),
            caught(lambda: d.update([('v', 1), 5])), caught(lambda: d.update([([], 1)])), caught(lambda: d.update(['kl', 'mno'])), d,
            caught(lambda: d.update(1)), caught(lambda: d.update({}, {})), caught(lambda: dict({}, {})))


@program
def dict_update_by_a_mapping():
    class Mapping:
        def keys(self):
            return noting('pq')

        def __getitem__(self, key):
            if key == 'q':
                raise ValueError('no q')
            return key * 2

    d = {}
    return caught(lambda: d.update(Mapping())), d, caught(lambda: dict(Mapping())), caught(lambda: {**Mapping()})


@program
def dict_in_place_or():
    d = {'a': 1}

    def work():
        nonlocal d
        d |= noting([('b', 2), ('c', 3)], lambda: len(d), fails_at=1)

    return caught(work), d


@program
def dict_is_made():
    return (dict(noting([('a', 1), ('a', 2)])), caught(lambda: dict(noting([('a', 1)], fails_at=0))), dict.fromkeys(noting('ab'), 0),
            caught(lambda: dict.fromkeys(noting(['a', []]))), {k: v for k, v in noting(['ab', 'cd'])})


@program
def text_is_joined():
    return ('-'.join(noting('abc')), caught(lambda: '-'.join(noting(['a', 1, 'c']))), caught(lambda: '-'.join(noting(['a', 'b', 2, 3]))),
            caught(lambda: ''.join(noting('abc', fails_at=1))), caught(lambda: ''.join(5)))


@program
def bytes_are_joined():
    return b'-'.join(noting([b'a', b'b'])), caught(lambda: b'-'.join(noting([b'a', b'b', 'c', b'd']))), caught(lambda: b''.join(5)), bytes(noting([65, 66]))


@program
def sorting():
    return (sorted(noting([3, 1, 2])), caught(lambda: sorted(noting([3, 'a', 1]))), caught(lambda: sorted(noting([1, 2], fails_at=1))),
            sorted(noting([1, 2, 3]), key=lambda x: seen.append(('key', x)) or -x), sorted(noting('ab'), reverse=True))


@program
def comparisons_of_a_sort():
    class Asked:
        def __init__(self, n):
            self.n = n

        def __lt__(self, other):
            seen.append((self.n, other.n))
            return self.n < other.n

    values = [5, 4, 9, 4, 1, 7, 7, 2]
    out = [[x.n for x in sorted(noting(map(Asked, values), lambda: 0), reverse=backwards)] for backwards in (False, True)]
    for given in ([3, 2, 1], [1, 2, 3, 0], [2, 2, 1, 1], [1], []):
        out.append([x.n for x in sorted(map(Asked, given))])
    pairs = [(n * 7 % 10, n) for n in range(200)]
    return out, sorted(pairs, key=lambda p: p[0])[::23], sorted(pairs, key=lambda p: p[0], reverse=True)[::23]


@program
def sort_by_a_key_that_raises():
    a = [3, 1, 2]
    return caught(lambda: a.sort(key=lambda x: 1 / (x - 1))), a


@program
def extremes():
    key = lambda x: seen.append(('key', x)) or -x
    return (min(noting([3, 1, 2]), key=key), max(noting([3, 1, 2]), key=key), caught(lambda: max(noting([1, 'a', 5]))), caught(lambda: min(noting([2, 1], fails_at=1))),
            min(noting([]), default='none'), max(noting([1]), key=None), min(5, 3, 4), caught(lambda: max(3)))


@program
def sums():
    return sum(noting([1, 2, 3])), caught(lambda: sum(noting([1, 'a', 3]))), sum(noting([[1], [2]]), []), caught(lambda: sum(noting(['a']), ''))


@program
def all_and_any():
    return any(noting([0, 1, 2])), all(noting([1, 0, 2])), any(noting([])), caught(lambda: all(noting([1, 1], fails_at=1)))


@program
def unpacking():
    def two():
        a, b = noting('abcdef')

    def starred():
        a, *b, c = noting('abcdef')
        return a, b, c

    def few():
        a, b, c = noting('ab')

    return caught(two), starred(), caught(few)


@program
def spread():
    def f(*args, **kwargs):
        return args, kwargs

    return (f(*noting('ab'), *noting('c')), [*noting('ab'), 0], (*noting('ab'),), sorted({*noting('ba')}), caught(lambda: f(*noting('ab', fails_at=1))),
            f(**dict(noting([('x', 1)]))), 'f' in noting('efg'), '%s %s' % tuple(noting('ab')), '{} {}'.format(*noting('ab')))


@program
def deques():
    d = collections.deque([0], maxlen=3)
    first = caught(lambda: d.extend(noting('abcd', lambda: list(d), fails_at=3)))
    kept = list(d)
    d.extendleft(noting('xy', lambda: len(d)))
    e = collections.deque([1, 2])
    e.extend(e)
    e.extendleft(e)
    e += noting('z', lambda: len(e))
    return first, kept, d, e


@program
def counters():
    c = collections.Counter()
    first = caught(lambda: c.update(noting('aab', lambda: sum(c.values()), fails_at=2)))
    kept = dict(c)
    second = caught(lambda: c.subtract(noting('ab', lambda: sum(c.values()), fails_at=1)))
    return first, kept, second, dict(c), caught(lambda: collections.Counter(noting('a', fails_at=0)))


@program
def other_dicts():
    o = collections.OrderedDict()
    d = collections.defaultdict(list)
    return (caught(lambda: o.update(noting([('b', 1), ('a', 2)], fails_at=1))), list(o), caught(lambda: d.update(noting([('b', 1), ('a', 2)], fails_at=1))), dict(d),
            collections.OrderedDict(noting([('b', 1)])))


@program
def lines_are_written():
    text = io.StringIO()
    first = caught(lambda: text.writelines(noting('abc', lambda: text.getvalue(), fails_at=2)))
    data = io.BytesIO()
    return first, text.getvalue(), caught(lambda: data.writelines(noting([b'a', b'b', 'c']))), data.getvalue()


@program
def zips_and_maps():
    return (list(zip(noting('abc'), noting('xy'))), caught(lambda: list(zip(noting('abc'), noting('xy'), strict=True))), list(map(max, noting('abc'), noting('xyz'))),
            caught(lambda: list(map(len, noting(['a', 1, 'b'])))), list(filter(None, noting([0, 1]))), list(enumerate(noting('ab'), 5)), next(map(str, noting([1, 2]))))


@program
def stop_iteration_inside():
    def ends(x):
        if x == 2:
            raise StopIteration
        return x

    def generator():
        yield 1
        raise StopIteration

    a = [0]
    a.extend(map(ends, [1, 2, 3]))
    s = set()
    s.update(map(ends, [1, 2, 3]))
    return a, s, list(map(ends, [1, 2, 3])), caught(lambda: list(generator())), caught(lambda: [ends(x) for x in (1, 2)]), caught(lambda: list(ends(x) for x in (1, 2)))


@program
def lazy_tools():
    endless = itertools.count()
    groups = itertools.groupby(noting('aabbc'))
    first, second = itertools.tee(noting('abc'))
    rest = noting(range(9))
    kept = list(itertools.islice(rest, 1, 6, 3))
    return (list(itertools.islice(itertools.cycle(noting('ab')), 5)), list(itertools.islice(itertools.cycle(endless), 2)), next(endless),
            [(key, next(group)) for key, group in groups], next(first), next(first), next(second), list(first), list(second), kept, next(rest),
            list(itertools.chain(noting('a'), noting('b'))), list(itertools.accumulate(noting([1, 2, 3]))), list(itertools.takewhile(bool, noting([1, 0, 1]))),
            list(itertools.islice(heapq.merge(noting([1, 4]), itertools.count(2)), 4)), list(itertools.pairwise(noting('abc'))))


@program
def eager_tools():
    made = itertools.product(noting('ab'), noting('cd'))
    seen.append('made')
    chosen = itertools.combinations(noting('abc'), 2)
    seen.append('chosen')
    return (len(list(made)), len(list(chosen)), caught(lambda: itertools.permutations(noting('ab', fails_at=1))), caught(lambda: itertools.takewhile(bool, 5)),
            caught(lambda: itertools.groupby(5)), caught(lambda: itertools.cycle(5)), caught(lambda: itertools.pairwise(5)))


@program
def reducing():
    return (functools.reduce(lambda x, y: x + y, noting([1, 2, 3])), caught(lambda: functools.reduce(max, noting([]))),
            caught(lambda: functools.reduce(max, noting([1, 2], fails_at=1))), heapq.nlargest(2, noting([1, 3, 2])), heapq.nsmallest(1, noting([2, 1])))


@program
def hashed_in_order():
    class Key:
        def __init__(self, name, same=None):
            self.name, self.same = name, same

        def __hash__(self):
            seen.append('hash ' + self.name)
            return ord(self.same or self.name)

        def __eq__(self, other):
            seen.append(self.name + ' = ' + other.name)
            return self.same == other.same

    s = set(Key(name, name) for name in noting('abb'))
    d = dict((Key(name, 'k'), name) for name in noting('xy'))
    return len(s), list(d.values())


for made in programs:
    seen.clear()
    print(made.__name__, made())
    print('   ', seen)
print(len(programs))
