# SPDX-License-Identifier: Apache-2.0
_end = object()


def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable):
    return _cycle(iter(iterable))


def _cycle(iterator):
    saved = []
    for item in iterator:
        yield item
        saved.append(item)
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
    # Up to the bound the items are taken, also those behind the last that is wanted.
    wanted = start
    index = 0
    while stop is None or index < stop:
        while index < wanted:
            if next(iterator, _end) is _end:
                return
            index += 1
        if stop is not None and index >= stop:
            return
        item = next(iterator, _end)
        if item is _end:
            return
        index += 1
        yield item
        wanted += step
        if stop is not None and wanted > stop:
            wanted = stop


def accumulate(iterable, func=None, *, initial=None):
    return _accumulate(iter(iterable), func, initial)


def _accumulate(iterator, func, initial):
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
    return _product([tuple(pool) for pool in iterables] * repeat)


def _product(pools):
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
    return _permutations(tuple(iterable), r)


def _permutations(pool, r):
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
    return _combinations(tuple(iterable), r)


def _combinations(pool, r):
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
    return _combinations_with_replacement(tuple(iterable), r)


def _combinations_with_replacement(pool, r):
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
    return _zip_longest([iter(iterable) for iterable in iterables], fillvalue)


def _zip_longest(iterators, fillvalue):
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
    return (function(*args) for args in iterable)


def takewhile(predicate, iterable):
    return _takewhile(predicate, iter(iterable))


def _takewhile(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    return _dropwhile(predicate, iter(iterable))


def _dropwhile(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def filterfalse(predicate, iterable):
    return (item for item in iterable if not (predicate(item) if predicate is not None else item))


def compress(data, selectors):
    return (item for item, chosen in zip(data, selectors) if chosen)


def pairwise(iterable):
    return _pairwise(iter(iterable))


def _pairwise(iterator):
    try:
        before = next(iterator)
    except StopIteration:
        return
    for item in iterator:
        yield before, item
        before = item


class groupby:
    # The groups share the iterator: a group ends where the next one is asked for.
    def __init__(self, iterable, key=None):
        self._key = key
        self._iterator = iter(iterable)
        self._wanted = self._current = self._item = object()
        self._group = None

    def __iter__(self):
        return self

    def __next__(self):
        self._group = None
        while self._current == self._wanted:
            self._step()
        self._wanted = self._current
        self._group = mark = object()
        return self._current, self._items(self._wanted, mark)

    def _step(self):
        self._item = next(self._iterator)
        self._current = self._item if self._key is None else self._key(self._item)

    def _items(self, wanted, mark):
        while self._group is mark and self._current == wanted:
            yield self._item
            try:
                self._step()
            except StopIteration:
                return


def tee(iterable, n=2):
    if n < 0:
        raise ValueError('n must be >= 0')
    iterator = iter(iterable)
    saved = []
    return tuple(_tee(iterator, saved) for _ in range(n))


def _tee(iterator, saved):
    at = 0
    while True:
        if at == len(saved):
            try:
                item = next(iterator)
            except StopIteration:
                return
            saved.append(item)
        yield saved[at]
        at += 1
