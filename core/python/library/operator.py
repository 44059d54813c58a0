# SPDX-License-Identifier: Apache-2.0
def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def matmul(a, b): return a @ b
def neg(a): return -a
def not_(a): return not a
def truth(a): return bool(a)
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def eq(a, b): return a == b
def ne(a, b): return a != b
def is_(a, b): return a is b
def contains(a, b): return b in a
def is_not(a, b): return a is not b
def inv(a): return ~a
def invert(a): return ~a
def pos(a): return a if isinstance(a, (int, float)) else a.__pos__()
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def countOf(a, b): return sum(1 for x in a if x is b or x == b)
def length_hint(a, default=0): return len(a) if hasattr(a, '__len__') else default


def indexOf(a, b):
    for i, x in enumerate(a):
        if x is b or x == b:
            return i
    raise ValueError('sequence.index(x): x not in sequence')


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def getitem(a, b): return a[b]
def setitem(a, b, c): a[b] = c
def delitem(a, b): del a[b]
def concat(a, b): return a + b
_abs = abs
def abs(a): return _abs(a)
def index(a): return a.__index__() if hasattr(a, '__index__') else int(a)


def itemgetter(*items):
    if len(items) == 1:
        return lambda obj: obj[items[0]]
    return lambda obj: tuple(obj[item] for item in items)


def attrgetter(*names):
    def get(obj, name):
        for part in name.split('.'):
            obj = getattr(obj, part)
        return obj
    if len(names) == 1:
        return lambda obj: get(obj, names[0])
    return lambda obj: tuple(get(obj, name) for name in names)


def methodcaller(name, *args, **kwargs):
    return lambda obj: getattr(obj, name)(*args, **kwargs)
