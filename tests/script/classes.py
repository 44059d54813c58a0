# SPDX-License-Identifier: Apache-2.0
# Classes and what functions do with them; compiled by PyTorch (make_classes.py) and by us.
from enum import Enum
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor


@torch.jit.script
class Counter:
    def __init__(self, start: int, name: str = "counter"):
        self.count = start
        self.name = name
        self.history = torch.jit.annotate(List[int], [])

    def step(self, by: int = 1) -> int:
        self.count += by
        self.history.append(self.count)
        return self.count

    @property
    def last(self) -> int:
        return self.history[-1]

    @staticmethod
    def doubled(n: int) -> int:
        return n * 2

    def __add__(self, other: int) -> int:
        return self.count + other

    def __len__(self) -> int:
        return len(self.history)

    def __getitem__(self, i: int) -> int:
        return self.history[i]

    def __setitem__(self, i: int, value: int) -> None:
        self.history[i] = value

    def __contains__(self, value: int) -> bool:
        return value in self.history

    def __eq__(self, other: int) -> bool:
        return self.count == other

    def __neg__(self) -> int:
        return -self.count

    def __str__(self) -> str:
        return self.name


@torch.jit.script
class Pair:
    def __init__(self, a: Tensor, counter: Counter):
        self.a = a
        self.counter = counter

    def total(self) -> Tensor:
        return self.a + self.counter.count


class Point(NamedTuple):
    x: Tensor
    y: Tensor
    label: str


class Colour(Enum):
    RED = 1
    GREEN = 2


def make(x: Tensor) -> Tensor:
    c = Counter(3)
    c.step()
    c.step(by=2)
    p = Pair(x, c)
    p.counter.count = 7
    return p.total()


def operators(n: int) -> Tuple[int, int, int, bool, bool, int]:
    c = Counter(n, "other")
    c.step()
    c[0] = 5
    return c + 1, len(c), c[0], 5 in c, c == 4, -c


def properties(n: int) -> int:
    c = Counter(n)
    c.step()
    return c.last


def in_loop(n: int) -> Counter:
    c = Counter(0)
    for i in range(n):
        c.step(i)
        if c.count > 10:
            break
    return c


def optional_object(c: Optional[Counter]) -> int:
    if c is not None:
        return c.count
    return 0


def points(p: Point, x: Tensor) -> Tuple[Point, Tensor, str]:
    q = Point(x, p.y, label="q")
    a, b, c = p
    return q, a + q.x + p[1], c


def colours(c: Colour) -> Tuple[int, str, bool]:
    n = 0
    if c == Colour.RED:
        n = c.value + 1
    return n, c.name, c is Colour.GREEN


def objects(cs: List[Counter], d: Dict[str, Counter]) -> int:
    n = 0
    for c in cs:
        n += c.count
    return n + d["a"].step()
