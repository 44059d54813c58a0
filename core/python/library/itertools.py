# SPDX-License-Identifier: Apache-2.0
def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable):
    saved = list(iterable)
    while saved:
        for item in saved:
            yield item


def repeat(item, times=None):
    if times is None:
        while True:
            yield item
    for _ in range(times):
        yield item


class chain:
    def __init__(self, *iterables):
        self._iterator = _chained(iterables)

    @classmethod
    def from_iterable(cls, iterables):
        made = cls()
        made._iterator = _chained(iterables)
        return made

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._iterator)


def _chained(iterables):
    return (item for iterable in iterables for item in iterable)


def islice(iterable, *bounds):
    bound = slice(*bounds)
    start, stop, step = bound.start or 0, bound.stop, bound.step or 1
    if start < 0 or (stop is not None and stop < 0) or step < 1:
        raise ValueError('Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.')
    return _islice(iter(iterable), start, stop, step)


def _islice(iterator, start, stop, step):
    wanted = start
    index = 0
    while stop is None or wanted < stop:
        for item in iterator:
            index += 1
            if index > wanted:
                break
        else:
            return
        yield item
        wanted += step


def accumulate(iterable, func=None, *, initial=None):
    iterator = iter(iterable)
    total = initial
    if initial is None:
        try:
            total = next(iterator)
        except StopIteration:
            return
    yield total
    for item in iterator:
        total = total + item if func is None else func(total, item)
        yield total


def product(*iterables, repeat=1):
    pools = [tuple(pool) for pool in iterables] * repeat
    if any(not pool for pool in pools):
        return
    places = [0] * len(pools)
    while True:
        yield tuple(pool[place] for pool, place in zip(pools, places))
        for i in reversed(range(len(pools))):
            places[i] += 1
            if places[i] < len(pools[i]):
                break
            places[i] = 0
        else:
            return


def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    r = n if r is None else r
    if r > n:
        return
    indices = list(range(n))
    cycles = list(range(n, n - r, -1))
    yield tuple(pool[i] for i in indices[:r])
    while n:
        for i in reversed(range(r)):
            cycles[i] -= 1
            if cycles[i] == 0:
                indices[i:] = indices[i + 1:] + indices[i:i + 1]
                cycles[i] = n - i
            else:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                yield tuple(pool[i] for i in indices[:r])
                break
        else:
            return


def combinations(iterable, r):
    pool = tuple(iterable)
    n = len(pool)
    if r > n:
        return
    indices = list(range(r))
    yield tuple(pool[i] for i in indices)
    while True:
        for i in reversed(range(r)):
            if indices[i] != i + n - r:
                break
        else:
            return
        indices[i] += 1
        for j in range(i + 1, r):
            indices[j] = indices[j - 1] + 1
        yield tuple(pool[i] for i in indices)


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    n = len(pool)
    if not n and r:
        return
    indices = [0] * r
    yield tuple(pool[i] for i in indices)
    while True:
        for i in reversed(range(r)):
            if indices[i] != n - 1:
                break
        else:
            return
        indices[i:] = [indices[i] + 1] * (r - i)
        yield tuple(pool[i] for i in indices)


def zip_longest(*iterables, fillvalue=None):
    iterators = [iter(iterable) for iterable in iterables]
    active = len(iterators)
    done = [False] * active
    while active:
        values = []
        for i, iterator in enumerate(iterators):
            value = fillvalue
            if not done[i]:
                try:
                    value = next(iterator)
                except StopIteration:
                    done[i] = True
                    active -= 1
                    if not active:
                        return
            values.append(value)
        yield tuple(values)


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    iterator = iter(iterable)
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (predicate(item) if predicate is not None else item):
            yield item


def compress(data, selectors):
    return (item for item, chosen in zip(data, selectors) if chosen)


def pairwise(iterable):
    iterator = iter(iterable)
    try:
        before = next(iterator)
    except StopIteration:
        return
    for item in iterator:
        yield before, item
        before = item


def groupby(iterable, key=None):
    group = []
    current = None
    is_first = True
    for item in iterable:
        item_key = item if key is None else key(item)
        if is_first or item_key != current:
            if not is_first:
                yield current, iter(group)
            group = []
            current = item_key
            is_first = False
        group.append(item)
    if not is_first:
        yield current, iter(group)


def tee(iterable, n=2):
    saved = list(iterable)
    return tuple(iter(saved) for _ in range(n))
