# SPDX-License-Identifier: Apache-2.0
def countdown(n):
    print('start')
    while n > 0:
        received = yield n
        if received:
            print('got', received)
            n = received
        n -= 1
    return 'finished'


g = countdown(3)
print(next(g), next(g), g.send(10), next(g))
print(list(countdown(2)))


def delegate():
    result = yield from countdown(2)
    print('result', result)
    yield from 'ab'
    yield from (x * x for x in range(2))


print(list(delegate()))


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


from itertools import islice, takewhile
print(list(islice(fibonacci(), 10)), list(takewhile(lambda v: v < 30, fibonacci())))


def guarded():
    try:
        yield 1
        yield 2
    except ValueError as error:
        print('inside', error)
        yield 'recovered'
    finally:
        print('cleanup')


g = guarded()
print(next(g), g.throw(ValueError('thrown')))
try:
    next(g)
except StopIteration as stop:
    print('stopped', stop.value)
g = guarded()
next(g)
g.close()
print(list(g))


def tree(depth):
    if depth:
        yield from tree(depth - 1)
        yield depth
        yield from tree(depth - 1)


print(list(tree(3)))
squares = (x * x for x in range(5) if x % 2 == 0)
print(next(squares), list(squares), list(squares), sum(x for x in range(10)))
pairs = [(x, y) for x in range(3) for y in range(x) if (x + y) % 2]
print(pairs, {x: {y for y in range(x)} for x in range(3)}, [[c for c in row] for row in ('ab', 'cd')])


def flatten(items):
    for item in items:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


print(list(flatten([1, [2, [3, [4]], 5], [], [[6]]])))


def echo():
    value = None
    while True:
        value = yield value


e = echo()
next(e)
print([e.send(i) for i in range(3)])


class Tree:
    def __init__(self, value, *children):
        self.value, self.children = value, children

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child


print(list(Tree(1, Tree(2, Tree(3)), Tree(4))), max(Tree(1, Tree(9))))


def boom():
    yield 1
    raise KeyError('gone')


try:
    for v in boom():
        print(v)
except KeyError as error:
    print('raised', error)
gens = [countdown(1) for _ in range(3)]
print([next(g) for g in gens], [next(g, 'end') for g in gens])
try:
    g = echo()
    g.send(1)
except TypeError as error:
    print(error)


def returns_early():
    return 5
    yield


print(list(returns_early()))
x = 'outer'
print([x for x in range(2)], x, [(lambda: i)() for i in range(3)], [f() for f in [lambda: i for i in range(3)]])
try:
    def bad():
        yield 1
        raise StopIteration
    list(bad())
except RuntimeError as error:
    print(error)
def chatty():
    for i in range(3):
        try:
            yield i
        finally:
            print('after', i)
for value in chatty():
    if value == 1:
        break
print('left')
