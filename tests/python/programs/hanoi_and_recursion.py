# SPDX-License-Identifier: Apache-2.0
import sys
from functools import lru_cache


def hanoi(n, a='A', b='B', c='C'):
    if n == 0:
        return []
    return hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)


print(len(hanoi(6)), hanoi(3))


def permutations(items):
    if not items:
        yield []
        return
    for i, item in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1:]):
            yield [item] + rest


def powerset(items):
    if not items:
        return [[]]
    rest = powerset(items[1:])
    return rest + [[items[0]] + s for s in rest]


print(list(permutations([1, 2, 3])), powerset('abc'), sum(1 for _ in permutations(list(range(5)))))


def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


print(ackermann(2, 3))


@lru_cache(None)
def change(amount, coins=(50, 20, 10, 5, 2, 1)):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    return change(amount - coins[0], coins) + change(amount, coins[1:])


print(change(100), change.cache_info().currsize > 100)


def solve(board):
    for i in range(4):
        for j in range(4):
            if board[i][j]:
                continue
            for v in range(1, 5):
                box = {board[i // 2 * 2 + a][j // 2 * 2 + b] for a in range(2) for b in range(2)}
                if v not in board[i] and v not in [row[j] for row in board] and v not in box:
                    board[i][j] = v
                    if solve(board):
                        return True
                    board[i][j] = 0
            return False
    return True


puzzle = [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]
print(solve(puzzle), *puzzle, sep='\n')


class Node:
    def __init__(self, key, left=None, right=None):
        self.key, self.left, self.right = key, left, right

    def insert(self, key):
        side = 'left' if key < self.key else 'right'
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(key))
        else:
            child.insert(key)
        return self

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.key
        if self.right:
            yield from self.right

    def __contains__(self, key):
        if key == self.key:
            return True
        child = self.left if key < self.key else self.right
        return child is not None and key in child

    def depth(self):
        return 1 + max((c.depth() for c in (self.left, self.right) if c), default=0)

    def __repr__(self):
        return f'({self.left or ""}{self.key}{self.right or ""})'


root = Node(5)
for key in [2, 8, 1, 9, 3, 7]:
    root.insert(key)
print(list(root), 7 in root, 4 in root, root.depth(), root)


def flatten(tree):
    return [x for sub in tree for x in (flatten(sub) if isinstance(sub, (list, tuple)) else [sub])]


def deep_map(f, tree):
    if isinstance(tree, dict):
        return {k: deep_map(f, v) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(deep_map(f, v) for v in tree)
    return f(tree)


print(flatten([1, [2, (3, [4, [5]])], []]), deep_map(lambda v: v * 2, {'a': [1, (2, 3)], 'b': {'c': 4}}))


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(800), sys.getrecursionlimit())
try:
    depth(5000)
except RecursionError as error:
    print(type(error).__name__)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


print(even(10), odd(7), (lambda f, n: f(f, n))(lambda f, n: 1 if n < 2 else n * f(f, n - 1), 10))
