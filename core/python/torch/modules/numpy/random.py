# SPDX-License-Identifier: Apache-2.0
# numpy's legacy generator: the Mersenne twister of Python's random, seeded and read as numpy does; and its Generator over
# PCG64.
import math
import random as _random
import _pcg64
import torch
from numpy._array import array, dtype as _dtype, ndarray, float64, int64, _result, _tensor_of


def _state_of(seed):
    """init_genrand of the reference implementation."""
    key = [seed & 0xffffffff]
    for i in range(1, 624):
        key.append((1812433253 * (key[-1] ^ (key[-1] >> 30)) + i) & 0xffffffff)
    return (3, tuple(key + [624]), None)


def _size(size):
    return () if size is None else (size,) if isinstance(size, int) else tuple(int(each) for each in size)


class RandomState:
    def __init__(self, seed=None):
        self.seed(seed)

    def seed(self, seed=None):
        self._bits = _random.Random()
        if isinstance(seed, (list, tuple, ndarray)):
            seed = int(list(seed)[0])
        if seed is not None:
            if not 0 <= int(seed) < 1 << 32:
                raise ValueError('Seed must be between 0 and 2**32 - 1')
            self._bits.setstate(_state_of(int(seed)))
        self._gauss = None

    def get_state(self, legacy=True):
        state = self._bits.getstate()[1]
        return ('MT19937', array(list(state[:-1])), state[-1], int(self._gauss is not None), self._gauss or 0.0)

    def set_state(self, state):
        self._bits.setstate((3, tuple(int(each) for each in state[1]) + (int(state[2]),), None))
        self._gauss = state[4] if len(state) > 3 and state[3] else None

    def _many(self, size, draw, kind=torch.float64):
        if size is None:
            return float64(draw()) if kind == torch.float64 else int(draw())
        shape = _size(size)
        return ndarray._of(torch.tensor([draw() for _ in range(math.prod(shape))], dtype=kind).reshape(shape))

    def random_sample(self, size=None):
        return self._many(size, self._bits.random)

    random = ranf = sample = random_sample

    def rand(self, *shape):
        return self.random_sample(shape or None)

    def uniform(self, low=0.0, high=1.0, size=None):
        if isinstance(low, (ndarray, list, tuple)) or isinstance(high, (ndarray, list, tuple)):
            low, high = array(low), array(high)
            size = size if size is not None else torch.broadcast_shapes(low.shape, high.shape)
            return low + (high - low) * self.random_sample(size)
        return self._many(size, lambda: low + (high - low) * self._bits.random())

    def _normal(self):
        if self._gauss is not None:
            value, self._gauss = self._gauss, None
            return value
        while True:
            x1 = 2.0 * self._bits.random() - 1.0
            x2 = 2.0 * self._bits.random() - 1.0
            r2 = x1 * x1 + x2 * x2
            if 0.0 < r2 < 1.0:
                break
        f = math.sqrt(-2.0 * math.log(r2) / r2)
        self._gauss = f * x1
        return f * x2

    def standard_normal(self, size=None):
        return self._many(size, self._normal)

    def randn(self, *shape):
        return self.standard_normal(shape or None)

    def normal(self, loc=0.0, scale=1.0, size=None):
        if isinstance(loc, (ndarray, list, tuple)) or isinstance(scale, (ndarray, list, tuple)):
            loc, scale = array(loc), array(scale)
            size = size if size is not None else torch.broadcast_shapes(loc.shape, scale.shape)
            return loc + scale * self.standard_normal(size)
        return self._many(size, lambda: loc + scale * self._normal())

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return self._many(size, lambda: math.exp(mean + sigma * self._normal()))

    def _below(self, most):
        """An int in [0, most]: bits below the next power of two until they fit."""
        if most == 0:
            return 0
        mask = (1 << most.bit_length()) - 1
        while True:
            if most <= 0xffffffff:
                value = self._bits.getrandbits(32) & mask
            else:
                high = self._bits.getrandbits(32)
                value = (high << 32 | self._bits.getrandbits(32)) & mask
            if value <= most:
                return value

    def randint(self, low, high=None, size=None, dtype=int):
        if high is None:
            low, high = 0, low
        low, high = int(low), int(high)
        if low >= high:
            raise ValueError('low >= high')
        drawn = self._many(size, lambda: low + self._below(high - 1 - low), torch.int64)
        return drawn if size is None else drawn.astype(dtype)

    def random_integers(self, low, high=None, size=None):
        return self.randint(1 if high is None else low, (low if high is None else high) + 1, size)

    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self._below(i)
            if isinstance(x, ndarray):
                row = x._tensor[i].clone()
                x._tensor[i] = x._tensor[j]
                x._tensor[j] = row
            else:
                x[i], x[j] = x[j], x[i]

    def permutation(self, x):
        if isinstance(x, int):
            order = list(range(x))
            self.shuffle(order)
            return array(order, dtype=int)
        x = array(x)
        return x[self.permutation(len(x))]

    def choice(self, a, size=None, replace=True, p=None):
        values = None if isinstance(a, int) else a if isinstance(a, ndarray) else list(a)
        count = a if isinstance(a, int) else len(values)
        if count == 0:
            raise ValueError("'a' cannot be empty unless no samples are taken")
        total = math.prod(_size(size))
        if p is not None:
            sums = torch.cumsum(_tensor_of(p).double(), 0)
            sums = sums / sums[-1].clone()
            if replace:
                found = torch.searchsorted(sums, _tensor_of(self.random_sample(_size(size))).double(), right=True)
            else:
                left = _tensor_of(p).double().clone()
                picked = []
                while len(picked) < total:
                    drawn = self.random_sample((total - len(picked),))
                    if picked:
                        left[picked] = 0
                    sums = torch.cumsum(left, 0)
                    sums = sums / sums[-1].clone()
                    for each in torch.searchsorted(sums, drawn._tensor, right=True).tolist():
                        if each not in picked:
                            picked.append(each)
                found = torch.tensor(picked).reshape(_size(size))
        elif replace:
            found = _tensor_of(self.randint(0, count, _size(size)))
        else:
            if total > count:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            found = self.permutation(count)._tensor[:total].reshape(_size(size))
        if values is None:
            return int(found.item()) if size is None else ndarray._of(found)
        if size is None:
            return values[int(found.item())]
        if isinstance(values, ndarray):
            return values[ndarray._of(found)]
        picked = [values[i] for i in found.reshape(-1).tolist()]
        try:
            return array(picked).reshape(_size(size))
        except TypeError:
            return picked

    def _exponential(self):
        return -math.log(1.0 - self._bits.random())

    def geometric(self, p, size=None):
        if not 0 < p <= 1:
            raise ValueError('p <= 0, p > 1 or p contains NaNs')

        def draw():
            if p < 0.333333333333333333333333:
                return math.ceil(math.log1p(-self._bits.random()) / math.log(1.0 - p))
            count, total, each, drawn = 1, p, p, self._bits.random()
            while drawn > total:
                each *= 1.0 - p
                total += each
                count += 1
            return count
        return self._many(size, draw, torch.int64)

    def exponential(self, scale=1.0, size=None):
        return self._many(size, lambda: self._exponential() * scale)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def _gamma(self, shape):
        if shape == 1.0:
            return self._exponential()
        if shape == 0.0:
            return 0.0
        if shape < 1.0:
            while True:
                u = self._bits.random()
                v = self._exponential()
                if u <= 1.0 - shape:
                    x = u ** (1.0 / shape)
                    if x <= v:
                        return x
                else:
                    y = -math.log((1 - u) / shape)
                    x = (1.0 - shape + shape * y) ** (1.0 / shape)
                    if x <= v + y:
                        return x
        b = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9 * b)
        while True:
            x = self._normal()
            v = 1.0 + c * x
            while v <= 0.0:
                x = self._normal()
                v = 1.0 + c * x
            v = v * v * v
            u = self._bits.random()
            if u < 1.0 - 0.0331 * x * x * x * x or math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
                return b * v

    def gamma(self, shape, scale=1.0, size=None):
        return self._many(size, lambda: scale * self._gamma(shape))

    def standard_gamma(self, shape, size=None):
        return self.gamma(shape, 1.0, size)

    def _beta(self, a, b):
        if a > 1.0 or b > 1.0:
            first = self._gamma(a)
            return first / (first + self._gamma(b))
        while True:
            u, v = self._bits.random(), self._bits.random()
            x, y = u ** (1.0 / a), v ** (1.0 / b)
            if x + y <= 1.0 and u + v > 0.0:
                if x + y > 0:
                    return x / (x + y)
                log_x, log_y = math.log(u) / a, math.log(v) / b
                most = max(log_x, log_y)
                return math.exp(log_x - most - math.log(math.exp(log_x - most) + math.exp(log_y - most)))

    def beta(self, a, b, size=None):
        return self._many(size, lambda: self._beta(a, b))

    def dirichlet(self, alpha, size=None):
        def row():
            drawn = [self._gamma(float(each)) for each in alpha]
            return [each / math.fsum(drawn) for each in drawn]
        shape = _size(size)
        return array([row() for _ in range(math.prod(shape))]).reshape(shape + (len(list(alpha)),))

    def binomial(self, n, p, size=None):
        return self._many(size, lambda: sum(self._bits.random() < p for _ in range(n)), torch.int64)

    def poisson(self, lam=1.0, size=None):
        def draw():
            limit, product, count = math.exp(-lam), 1.0, 0
            while True:
                product *= self._bits.random()
                if product <= limit:
                    return count
                count += 1
        return self._many(size, draw, torch.int64)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        def draw():
            u = self._bits.random()
            while u == 0.0:
                u = self._bits.random()
            return loc - scale * math.log(2.0 - u - u) if u >= 0.5 else loc + scale * math.log(u + u)
        return self._many(size, draw)

    def multivariate_normal(self, mean, cov, size=None):
        mean, cov = _tensor_of(mean).double(), _tensor_of(cov).double()
        u, s, v = torch.linalg.svd(cov)
        x = self.standard_normal(_size(size) + tuple(mean.shape))
        return ndarray._of(x._tensor @ (s.sqrt().unsqueeze(1) * v) + mean)

    def bytes(self, length):
        return bytes([self._bits.getrandbits(8) for _ in range(length)])


class PCG64:
    def __init__(self, seed=None):
        if seed is None:
            seed = _random.SystemRandom().getrandbits(128)
        seeds = [seed] if isinstance(seed, int) else [int(each) for each in seed]
        if any(each < 0 for each in seeds):
            raise ValueError('expected non-negative integer')
        self._generator = _pcg64.make(seeds)

    def draw(self, kind, count, most=0):
        return _pcg64.draw(self._generator, kind, count, most)

    def random(self):
        return self.draw('uniform', 1)[0]

    def getrandbits(self, count):
        return self.draw('raw', 1)[0] & ((1 << count) - 1)


class Generator(RandomState):
    """Draws of a PCG64: whole arrays are drawn at once."""

    def __init__(self, bit_generator=None):
        self.bit_generator = self._bits = bit_generator if isinstance(bit_generator, PCG64) else PCG64(bit_generator)

    def _drawn(self, kind, size, most=0):
        if size is None:
            return self._bits.draw(kind, 1, most)[0]
        shape = _size(size)
        of_torch = torch.int64 if kind in ('below', 'interval') else torch.float64
        return torch.tensor(self._bits.draw(kind, math.prod(shape), most), dtype=of_torch).reshape(shape)

    def _reals(self, kind, size, loc=0.0, scale=1.0):
        if size is None:
            return float64(loc + scale * self._drawn(kind, None))
        return ndarray._of(loc + scale * self._drawn(kind, size).double())

    def _normal(self):
        return self._bits.draw('normal', 1)[0]

    def _exponential(self):
        return self._bits.draw('exponential', 1)[0]

    def random(self, size=None, dtype=float64, out=None):
        return self._reals('uniform', size)

    random_sample = random

    def standard_normal(self, size=None, dtype=float64, out=None):
        return self._reals('normal', size)

    def standard_exponential(self, size=None, dtype=float64, method='zig', out=None):
        return self._reals('exponential', size)

    def exponential(self, scale=1.0, size=None):
        return self._reals('exponential', size, 0.0, scale)

    def integers(self, low, high=None, size=None, dtype=int64, endpoint=False):
        low, high = (0, low) if high is None else (low, high)
        most = int(high) - int(low) - (0 if endpoint else 1)
        if most < 0:
            raise ValueError('low >= high' if not endpoint else 'low > high')
        if size is None:
            return int(low) + self._drawn('below', None, most)
        return ndarray._of(int(low) + self._drawn('below', size, most).long()).astype(dtype)

    def _below(self, most):
        return self._bits.draw('interval', 1, most)[0]

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        if p is not None or not isinstance(a, int):
            if p is not None:
                return super().choice(a, size, replace, p)
            values = a if isinstance(a, ndarray) else array(list(a))
            return values[self.choice(len(values), size, replace, None, axis, shuffle)]
        total = math.prod(_size(size))
        if replace:
            return self.integers(0, a, size)
        if total > a:
            raise ValueError('Cannot take a larger sample than population when replace is False')
        if a > 10000 and total > a // (50 if shuffle else 20):
            found = list(range(a))
            self._swap_down(found, max(a - total, 1))
            found = found[a - total:]
        else:  # Floyd's algorithm
            found, held = [], set()
            for top in range(a - total, a):
                drawn = self._drawn('below', None, top)
                drawn = top if drawn in held else drawn
                held.add(drawn)
                found.append(drawn)
            if shuffle:
                self._swap_down(found, 1)
        if size is None:
            return found[0]
        return array(found, dtype=int).reshape(_size(size))

    def _swap_down(self, values, first):
        for i in range(len(values) - 1, first - 1, -1):
            j = self._drawn('below', None, i)
            values[i], values[j] = values[j], values[i]


def default_rng(seed=None):
    return seed if isinstance(seed, Generator) else Generator(seed)


_global = RandomState()
seed = _global.seed
get_state = _global.get_state
set_state = _global.set_state
random_sample = _global.random_sample
random = _global.random
ranf = _global.ranf
sample = _global.sample
rand = _global.rand
uniform = _global.uniform
standard_normal = _global.standard_normal
randn = _global.randn
normal = _global.normal
lognormal = _global.lognormal
randint = _global.randint
random_integers = _global.random_integers
shuffle = _global.shuffle
permutation = _global.permutation
choice = _global.choice
exponential = _global.exponential
standard_exponential = _global.standard_exponential
gamma = _global.gamma
standard_gamma = _global.standard_gamma
beta = _global.beta
dirichlet = _global.dirichlet
binomial = _global.binomial
geometric = _global.geometric
poisson = _global.poisson
laplace = _global.laplace
multivariate_normal = _global.multivariate_normal
bytes = _global.bytes
