# SPDX-License-Identifier: Apache-2.0
def classify(n):
    if n < 0:
        return 'negative'
    elif n == 0:
        return 'zero'
    elif n < 10:
        return 'small'
    else:
        return 'large'


print([classify(n) for n in (-5, 0, 3, 50)])
for n in range(2, 20):
    for x in range(2, n):
        if n % x == 0:
            break
    else:
        print(n, end=' ')
print()
i = 0
while i < 10:
    i += 1
    if i % 2:
        continue
    if i > 8:
        break
    print(i, end=' ')
else:
    print('never')
print()
while i > 7:
    i -= 1
else:
    print('done', i)
for a, (b, *c) in [(1, (2, 3, 4)), (5, (6,))]:
    print(a, b, c)
x = 5 if i else 6
y = 'a' if x > 5 else 'b' if x > 4 else 'c'
print(x, y)
total = 0
for i in range(10, 0, -3): total += i
print(total, i)
if (n := len('walrus')) > 3:
    print(n, [m for v in range(5) if (m := v * v) > 3], m)
pass
for _ in []:
    print('no')
else:
    print('empty')
def early():
    for i in range(5):
        while True:
            if i == 3:
                return i
            break
    return None
print(early())
assert True, 'fine'
try:
    assert 1 == 2, f'not {1} == 2'
except AssertionError as e:
    print('assertion:', e)
del x
try:
    print(x)
except NameError as e:
    print(e)
a = b = c = 0
a, b = b + 1, a + 2
print(a, b, c)
print(1 if [] else 2, [] or {} or 'last', None is None, 3 is not None, not True == False)
