# SPDX-License-Identifier: Apache-2.0
"""Random numbers for a seed, and how far each call has moved the generator: a rand of two follows every call."""
import torch

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
SIZES = (0, 1, 2, 5, 15, 16, 17, 31, 32, 40)
# One unit in the last place or two, where the libraries' logarithms and sines differ.
NEAR = {torch.float32: 1e-6, torch.float64: 1e-14, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def options(dtype=None):
    return (dtype, None, None, None)


def layouts(dtype):
    """Outputs that do not lie row by row."""
    return (torch.zeros(3, 6, dtype=dtype).t(), torch.zeros(4, 10, dtype=dtype)[:, ::2], torch.zeros(2, 3, 2, 2, dtype=dtype).permute(0, 2, 3, 1),
            torch.zeros((), dtype=dtype))


class Seeded:
    def __init__(self, cases):
        self.cases = cases
        self.seed = 0

    def __call__(self, op, *args, tolerance=0.0, **named):
        self.seed = self.seed * 5 % 2**33 + 1
        self.cases.call("aten::manual_seed", self.seed, want=())
        torch.manual_seed(self.seed)
        before = len(self.cases.rows)
        self.cases.call(op, *args, tolerance=tolerance, **named)
        if len(self.cases.rows) > before and "error" not in self.cases.rows[-1]:
            self.cases.call("aten::rand", [2], *options(), tolerance=1e-7)  # eight digits are written


def made(s):
    for dtype in FLOATS:
        for n in SIZES:
            s("aten::rand", [n], *options(dtype), tolerance=1e-7)
            s("aten::randn", [n], *options(dtype), tolerance=NEAR[dtype])
        s("aten::rand_like", torch.zeros(3, 6, dtype=dtype).t(), *options(), None)
        s("aten::randn_like", torch.zeros(3, 6, dtype=dtype).t(), *options(), None, tolerance=NEAR[dtype])
        s("aten::randn", [3, 7], *options(dtype), tolerance=NEAR[dtype])
    for n in (3, 8, 20):
        s("aten::randn", [n], *options(torch.complex64), tolerance=1e-6)
        s("aten::randn", [n], *options(torch.complex128), tolerance=1e-14)
        s("aten::rand", [n], *options(torch.complex64))
    for dtype in INTEGERS + FLOATS:
        s("aten::randint", 2, [9], *options(dtype))
        if dtype != torch.bool:
            s("aten::randint", 100, [9], *options(dtype))
            s("aten::randint_like", torch.zeros(5, 2, dtype=dtype).t(), 90, *options(), None)
            if dtype != torch.uint8:
                s("aten::randint.low", -7, 11, [20], *options(dtype))
    for low, high in ((0, 2**31), (0, 2**32), (0, 2**32 + 1), (-2**62, 2**62), (-2**63, 2**63 - 1)):
        s("aten::randint.low", low, high, [4], *options(torch.int64))
    for n in (0, 1, 2, 10, 40):
        for dtype in (torch.int64, torch.int32, torch.float32, torch.int16):
            s("aten::randperm", n, *options(dtype))


def filled(s):
    for dtype in FLOATS:
        near = NEAR[dtype]
        targets = [torch.zeros(n, dtype=dtype) for n in (1, 5, 16, 20)] + list(layouts(dtype))
        for t in targets:
            s("aten::uniform_", t, -2.0, 3.0)
            s("aten::normal_", t, 1.5, 0.5, tolerance=near)
            s("aten::exponential_", t, 1.7, tolerance=near)
            s("aten::geometric_", t, 0.3, tolerance=near)
            s("aten::cauchy_", t, 0.5, 2.0, tolerance=2 * near)
            s("aten::log_normal_", t, 0.5, 0.4, tolerance=2 * near)
            s("aten::bernoulli_.float", t, 0.3)
            s("aten::bernoulli_.Tensor", t, torch.linspace(0, 1, t.numel()).reshape(t.shape))
            s("aten::bernoulli_.Tensor", t, torch.linspace(0, 1, t.numel(), dtype=torch.float64).reshape(t.shape))
            s("aten::random_", t)
            s("aten::random_.to", t, 10)
            s("aten::random_.from", t, -3, 5)
    for dtype in INTEGERS:
        for t in (torch.zeros(7, dtype=dtype), torch.zeros(3, 5, dtype=dtype).t()):
            s("aten::random_", t)
            s("aten::random_.to", t, 2)
            s("aten::bernoulli_.float", t, 0.6)
            s("aten::bernoulli_.Tensor", t, torch.full(t.shape, 0.6))
            s("aten::geometric_", t, 0.4)
    s("aten::random_.from", torch.zeros(5, dtype=torch.int64), -10, None)
    s("aten::random_.from", torch.zeros(5, dtype=torch.int64), 0, 2**40)
    s("aten::geometric_", torch.zeros(5), 1.5)
    s("aten::exponential_", torch.zeros(5), -1.0)
    s("aten::cauchy_", torch.zeros(5, dtype=torch.int64), 0.0, 1.0)
    s("aten::log_normal_", torch.zeros(5), 0.0, 0.0)
    s("aten::uniform_", torch.zeros(5), 3.0, 1.0)
    s("aten::normal_", torch.zeros(5), 0.0, -1.0)
    s("aten::bernoulli_.float", torch.zeros(5), -0.1)
    s("aten::random_.from", torch.zeros(5), 5, 5)
    s("aten::random_.to", torch.zeros(5, dtype=torch.uint8), 300)
    s("aten::random_.from", torch.zeros(5, dtype=torch.int8), -200, 5)
    s("aten::random_.to", torch.zeros(5, dtype=torch.float16), 5000)


def drawn_from_tensors(s):
    for dtype in FLOATS:
        near = NEAR[dtype]
        for n in (6, 15, 16, 21):
            p = torch.linspace(0.05, 0.95, n).to(dtype)
            s("aten::bernoulli", p)
            s("aten::bernoulli.p", p, 0.25)
            s("aten::normal.Tensor_float", p, 2.0, tolerance=2 * near)
            s("aten::normal.float_Tensor", 1.0, p, tolerance=2 * near)
            s("aten::normal.Tensor_Tensor", p, p.flip(0), tolerance=2 * near)
            s("aten::normal.float_float", -1.0, 0.5, [n], None, dtype, None, None, None, tolerance=near)
            s("aten::multinomial", p, 7, True)
            s("aten::multinomial", p, 5, False)
            s("aten::multinomial", p, 1, False)
    s("aten::normal.Tensor_Tensor", torch.zeros(3, 1), torch.ones(4), tolerance=1e-6)
    table = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 0.0, 1.0], [5.0, 0.0, 0.0, 0.0]])
    for dtype in (torch.float32, torch.float64):
        s("aten::multinomial", table.to(dtype), 8, True)
        s("aten::multinomial", table.to(dtype)[:2], 2, False)
        s("aten::multinomial", table.to(dtype), 1, False)
        # Drawn as without replacement since PyTorch 2: want and the numbers after it are those of 2.15.
        s("aten::multinomial", table.to(dtype), 1, True)
        s("aten::multinomial", table.to(dtype).t().contiguous().t(), 6, True)
    for args in ((table, 0, True), (table, 5, False), (-table, 2, True), (table * 0, 2, True), (table * 0, 2, False), (table / 0, 2, True),
                 (table.long(), 2, True), (table[None], 2, True), (torch.tensor([1.0, -1.0]), 1, False)):
        s("aten::multinomial", *args)
    s("aten::poisson", torch.linspace(0, 30, 25))
    s("aten::poisson", torch.linspace(0, 30, 25, dtype=torch.float64))
    s("aten::binomial", torch.full((12,), 20.0), torch.linspace(0, 1, 12))


def dropouts(s):
    for dtype in FLOATS:
        near = NEAR[dtype]
        for t in (torch.linspace(-2, 3, 12).to(dtype), torch.linspace(-2, 3, 36).to(dtype).reshape(2, 6, 3), torch.linspace(-2, 3, 18).to(dtype).reshape(3, 6).t()):
            for p in (0.0, 0.3, 1.0):
                s("aten::dropout", t, p, True, tolerance=near)
                s("aten::alpha_dropout", t, p, True, tolerance=2 * near)
                if t.dim() > 1:
                    s("aten::feature_dropout", t, p, True, tolerance=near)
                    s("aten::feature_alpha_dropout", t, p, True, tolerance=2 * near)
            s("aten::native_dropout", t, 0.4, True, tolerance=near)
            if dtype in (torch.float32, torch.float64) and t.is_contiguous():  # PyTorch mixes up the places of others
                s("aten::rrelu", t, 0.125, 1 / 3, True, tolerance=near)
                s("aten::rrelu", t, 0.125, 1 / 3, False, tolerance=near)
            s("aten::dropout_", t, 0.3, True, tolerance=near)
    for op in ("aten::dropout", "aten::alpha_dropout", "aten::feature_dropout"):
        s(op, torch.ones(3, 2), -0.1, True)
        s(op, torch.ones(3, 2), 0.5, False)


def add(c):
    s = Seeded(c)
    made(s)
    filled(s)
    drawn_from_tensors(s)
    dropouts(s)
    # Half of a pair of normal numbers waits for the next call; a new seed forgets it.
    s("aten::randn", [3], *options(), tolerance=1e-6)
    for op in ("aten::randn", "aten::rand", "aten::randn"):
        c.call(op, [1], *options(), tolerance=1e-6)
    c.call("aten::randn", [1], *options(torch.float64), tolerance=1e-14)
    c.call("aten::randn", [17], *options(), tolerance=1e-6)
    c.call("aten::randn", [1], *options(torch.float64), tolerance=1e-14)
