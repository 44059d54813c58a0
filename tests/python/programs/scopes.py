# SPDX-License-Identifier: Apache-2.0
x = 'global'


def read():
    return x


def shadow():
    x = 'local'

    def inner():
        return x
    return inner(), read()


def outer():
    x = 'enclosing'

    def change():
        nonlocal x
        x = 'changed'

    def use_global():
        global x
        x = 'new global'
    change()
    use_global()
    return x


print(read(), shadow(), outer(), x)


class Scope:
    x = 'class'
    y = x + '!'
    z = [x for _ in range(2)]

    def method(self):
        return x, self.x

    for i in range(3):
        locals_made = i


print(Scope().method(), Scope.y, Scope.z, Scope.i, Scope.locals_made)


def make():
    class Local:
        value = x

        def get(self):
            return __class__.__name__
    return Local


print(make().value, make()().get())


def loops():
    functions = []
    for i in range(3):
        def f(j=i):
            return i, j
        functions.append(f)
    return [f() for f in functions]


print(loops())


def nested():
    a = 1

    def level1():
        b = 2

        def level2():
            c = 3
            return a + b + c
        return level2
    return level1()()


print(nested())
count = 0


def bump():
    global count, fresh
    count += 1
    fresh = count * 10


bump(); bump()
print(count, fresh)


def accumulate():
    total = 0

    def add(n):
        nonlocal total
        total += n
        return total
    return add


acc = accumulate()
print([acc(i) for i in range(5)])
len_ = len
def len(obj):
    return 'shadowed'
print(len([1]), len_([1]))
del len
print(len([1, 2]))


def walrus():
    if any((found := v) > 3 for v in [1, 5, 2]):
        return found


print(walrus(), [last := k for k in 'abc'], last)


def conditional(flag):
    if flag:
        value = 'set'
    return value


try:
    conditional(False)
except UnboundLocalError as error:
    print(error)
print(conditional(True), (lambda: x)(), [n for n in dir() if n.startswith('acc')])


def defaults(a, b=x, *, c=count):
    return a, b, c


x = 'after'
print(defaults(1), sorted(locals().keys() & {'x', 'count'}))
if __name__ == '__main__':
    print('main', __name__)


def recursive_closure(n):
    def down(k):
        return [] if k == 0 else [k] + down(k - 1)
    return down(n)


print(recursive_closure(4))
try:
    def free():
        def inner():
            return later
        inner()
        later = 1
    free()
except NameError as error:
    print(error)
