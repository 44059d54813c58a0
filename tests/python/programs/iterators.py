# SPDX-License-Identifier: Apache-2.0
class Range:
    def __init__(self, *bounds):
        self.start, self.stop, self.step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: bounds}[len(bounds)]

    def __iter__(self):
        value = self.start
        while (value < self.stop) if self.step > 0 else (value > self.stop):
            yield value
            value += self.step

    def __len__(self):
        return max(0, -(-(self.stop - self.start) // self.step))

    def __reversed__(self):
        return reversed(list(self))

    def __contains__(self, value):
        print('contains', value)
        return value in list(self)


print(list(Range(3)), list(Range(1, 4)), list(Range(5, 0, -2)), len(Range(0, 10, 3)), list(reversed(Range(3))), 2 in Range(3), [*Range(2)])


class Peekable:
    def __init__(self, iterable):
        self.it = iter(iterable)
        self.buffer = []

    def __iter__(self):
        return self

    def __next__(self):
        if self.buffer:
            return self.buffer.pop()
        return next(self.it)

    def peek(self, default=None):
        if not self.buffer:
            try:
                self.buffer.append(next(self.it))
            except StopIteration:
                return default
        return self.buffer[-1]


p = Peekable('abc')
print(p.peek(), next(p), p.peek(), list(p), p.peek('end'), list(p))


def chunks(items, n):
    for i in range(0, len(items), n):
        yield items[i:i + n]


def windows(items, n):
    it = iter(items)
    window = [next(it) for _ in range(n)]
    yield tuple(window)
    for item in it:
        window = window[1:] + [item]
        yield tuple(window)


print(list(chunks(list(range(7)), 3)), list(windows('abcde', 3)))


class DataLoader:
    def __init__(self, data, batch_size=2, drop_last=False):
        self.data, self.batch_size, self.drop_last = data, batch_size, drop_last

    def __iter__(self):
        batch = []
        for item in self.data:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        full, rest = divmod(len(self.data), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)


loader = DataLoader(range(5))
print(len(loader), list(loader), list(loader), [sum(b) for b in DataLoader(range(5), drop_last=True)])
for epoch in range(2):
    for i, batch in enumerate(loader):
        print(epoch, i, batch, end=' | ')
print()
it = iter([1, 2, 3, 4])
print(list(zip(it, it)), list(map(lambda a, b: a + b, [1, 2], (x for x in (10, 20)))))
it = iter(range(5))
print([x for x in it if x < 2], list(it))
a = [1, 2, 3]
for x in a:
    if x < 3 and len(a) < 6:
        a.append(x * 10)
print(a)


def pipeline(*stages):
    def run(source):
        for stage in stages:
            source = stage(source)
        return source
    return run


numbers = pipeline(lambda s: (x * x for x in s), lambda s: filter(lambda v: v % 2, s), lambda s: map(str, s), list)
print(numbers(range(6)))
e = enumerate(['x', 'y'], start=5)
print(next(e), list(e), dict(enumerate('ab')), list(reversed(list(enumerate('ab')))))


class Infinite:
    def __getitem__(self, i):
        if i > 3:
            raise IndexError
        return i * i


print(list(Infinite()), 9 in Infinite(), max(Infinite()), [*Infinite()], tuple(zip(Infinite(), 'ab')))
d = {'a': 1, 'b': 2}
it = iter(d)
print(next(it), list(it), list(iter(d.items())), next(iter(d.values())))
try:
    for k in d:
        del d[k]
except RuntimeError as error:
    print(error)
print(sum(1 for _ in Range(4)), min(Range(2, 5)), sorted(Range(3), reverse=True), set(Range(2)), dict(zip(Range(2), 'ab')), ''.join(map(str, Range(3))), list(zip(*[iter('abcdef')] * 2)))
