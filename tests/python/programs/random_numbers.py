# SPDX-License-Identifier: Apache-2.0
import random

random.seed(42)
print([random.random() for _ in range(3)])
print([random.randint(1, 100) for _ in range(10)], random.randrange(0, 50, 5), random.randrange(7))
print(random.choice('abcdef'), random.choices([1, 2, 3], k=5), random.choices('ab', weights=[1, 9], k=8))
items = list(range(10))
random.shuffle(items)
print(items, random.sample(range(100), 5), random.sample(items, 3), random.sample(range(10000), 30))
print(random.uniform(-1, 1), random.gauss(0, 1), random.gauss(5, 2), random.normalvariate(0, 1), random.expovariate(2))
print(random.getrandbits(8), random.getrandbits(40), random.triangular(0, 10, 3))
r = random.Random(7)
print([r.randint(0, 9) for _ in range(10)], r.random())
random.seed(123456789012)
print(random.random(), random.randint(0, 10 ** 12))
random.seed(-5)
print(random.random())
random.seed(0)
w = [[random.gauss(0, 0.1) for _ in range(3)] for _ in range(2)]
print(w)
