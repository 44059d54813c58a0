# SPDX-License-Identifier: Apache-2.0
log = []


def t(name, value=None):
    log.append(name)
    return value if value is not None else name


def show():
    print(' '.join(map(str, log)))
    log.clear()


1 < t('mid', 5) < 10 < t('big', 20)
show()
1 > t('stops', 5) > t('never', 1)
show()
t('f', lambda *a, **k: None)(t('a'), *t('star', [1]), k=t('k'), **t('kw', {}))
show()
{t('k1'): t('v1'), t('k2'): t('v2')}
show()
[t(i) for i in t('iter', [1, 2]) if t('cond', True)]
show()
d = {'x': [1, 2, 3]}


def get():
    log.append('get')
    return d


get()['x'][t('index', 1)] += t('value', 10)
show()
print(d)
x, y = t('one', 1), t('two', 2)
show()
t('no', 0) or t('yes', 1) and t('last', 2)
show()
t('then') if t('test', True) else t('else')
show()


class Box:
    def __init__(self):
        self.v = 1

    def __getattr__(self, name):
        log.append('missing ' + name)
        raise AttributeError(name)

    def __getitem__(self, key):
        log.append(f'get {key!r}')
        return self.v

    def __setitem__(self, key, value):
        log.append(f'set {key!r} {value!r}')


b = Box()
b[1] += 5
b[1:2] = 3
b[1, 2] = 4
b[::2, ..., None]
b[-1]
hasattr(b, 'zzz')
show()
a = [0, 1, 2]
i = 0
i, a[i] = 1, 'set'
print(i, a)
a[0], a[1], a[2] = a[2], a[0], a[1]
print(a)
u = v = w = []
u.append(1)
print(v, w is u)
first = second = t('once', 7)
show()
print(first, second)
lst = [1, 2]
alias = lst
lst += [3]
print(alias, lst is alias)
lst = lst + [4]
print(alias, lst)
tup = (1, [2])
try:
    tup[1] += [3]
except TypeError as error:
    print(error, tup)


def default(x, seen=t('default', [])):
    seen.append(x)
    return seen


show()
default(1)
print(default(2), not_none if (not_none := default(3)) else None)
z = 10
z -= 2 - 1
print(z, -z ** 2, (-z) ** 2, 2 ** 3 ** 2, -7 // 2, not 1 == 2, 1 + 2 << 1, 5 & 3 | 8, ~1 + 1, 1 if 0 else 2 if 0 else 3)
print(1 in [1] == True, (1 in [1]) == True, not 1 in [2], 3 - 2 - 1, 2 * 3 % 4, 7 / 2 // 1, 'a' 'b' * 2, [1] + [2] * 2, True + 1 if True else 0)
