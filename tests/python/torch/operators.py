import torch
a = torch.tensor([1., -2., 3.])
b = torch.tensor([4., 5., -6.])
print(a + b, a - b, a * b, a / b, a // b, a % b, a ** 2, 2 ** a, -a, abs(a))
print(1 + a, 1 - a, 2 * a, 2 / a, 7 // a, 7 % b, a @ b)
print(a < b, a <= 1, a > b, a >= 3, a == b, a != b, 1 < a)
c = torch.tensor([6, 3, 1])
print(c & 3, c | 8, c ^ 1, ~c, c << 1, c >> 1, 3 & c, c // 2, c % 2, -c, c / 2, c ** 2, 2 << c)
x = a.clone()
x += 1
x *= 2
x -= b
x /= 2
print(x)
x **= 2
x %= 3
print(x)
n = torch.tensor([7, 8])
n //= 2
n <<= 1
n |= 1
n &= 7
n ^= 2
print(n)
print(torch.tensor(2) + 0.5, torch.tensor(3) / 2, torch.tensor(7) // 2, 5 - torch.tensor(3), divmod(7, 2))
print(torch.eye(2) @ torch.tensor([[1., 2.], [3., 4.]]), a.dot(b), torch.outer(a, b))
print(bool(torch.tensor(1)), int(torch.tensor(3.7)), float(torch.tensor(2)), round(float(torch.tensor(2.567)), 2))
if torch.tensor([0.0]):
    print('yes')
else:
    print('no')
for f in (lambda: bool(a), lambda: a + 'x', lambda: a @ 3, lambda: a < 'x', lambda: a + None, lambda: a + torch.ones(2)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
print(a == 'x', a is a, a is not b, not torch.tensor(0))
print(sum([torch.tensor(1), torch.tensor(2)]), max(torch.tensor(3), torch.tensor(5)), sorted([torch.tensor(3), torch.tensor(1)]))
