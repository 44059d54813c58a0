# SPDX-License-Identifier: Apache-2.0
def quicksort(items):
    if len(items) <= 1:
        return items
    pivot, *rest = items
    return quicksort([v for v in rest if v < pivot]) + [pivot] + quicksort([v for v in rest if v >= pivot])


def merge_sort(items):
    if len(items) < 2:
        return items
    mid = len(items) // 2
    left, right = merge_sort(items[:mid]), merge_sort(items[mid:])
    out = []
    while left and right:
        out.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return out + left + right


def binary_search(items, target):
    low, high = 0, len(items) - 1
    while low <= high:
        mid = (low + high) // 2
        if items[mid] == target:
            return mid
        if items[mid] < target:
            low = mid + 1
        else:
            high = mid - 1
    return -1


class Heap:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)
        i = len(self.items) - 1
        while i and self.items[(i - 1) // 2] > self.items[i]:
            j = (i - 1) // 2
            self.items[i], self.items[j] = self.items[j], self.items[i]
            i = j

    def pop(self):
        top, last = self.items[0], self.items.pop()
        if self.items:
            self.items[0] = last
            i = 0
            while (c := 2 * i + 1) < len(self.items):
                if c + 1 < len(self.items) and self.items[c + 1] < self.items[c]:
                    c += 1
                if self.items[i] <= self.items[c]:
                    break
                self.items[i], self.items[c] = self.items[c], self.items[i]
                i = c
        return top


data = [(i * 7919) % 101 for i in range(30)]
print(quicksort(data) == sorted(data) == merge_sort(data), quicksort(data)[:10])
ordered = sorted(set(data))
print([binary_search(ordered, v) for v in (ordered[0], ordered[-1], 1000)])
heap = Heap()
for v in data:
    heap.push(v)
print([heap.pop() for _ in range(8)])


def sieve(n):
    flags = [True] * (n + 1)
    flags[0:2] = [False, False]
    for i in range(2, int(n ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = [False] * len(flags[i * i::i])
    return [i for i, flag in enumerate(flags) if flag]


print(sieve(60), len(sieve(1000)))
graph = {'a': ['b', 'c'], 'b': ['d'], 'c': ['d', 'e'], 'd': ['f'], 'e': ['f'], 'f': []}


def bfs(start, goal):
    queue, seen = [[start]], {start}
    while queue:
        path = queue.pop(0)
        if path[-1] == goal:
            return path
        for node in graph[path[-1]]:
            if node not in seen:
                seen.add(node)
                queue.append(path + [node])


def topological():
    order, seen = [], set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for other in graph[node]:
            visit(other)
        order.append(node)
    for node in graph:
        visit(node)
    return order[::-1]


print(bfs('a', 'f'), topological())


def solve_queens(n):
    def place(row, columns, diagonals, anti):
        if row == n:
            return 1
        return sum(place(row + 1, columns | {c}, diagonals | {row - c}, anti | {row + c})
                   for c in range(n) if c not in columns and row - c not in diagonals and row + c not in anti)
    return place(0, frozenset(), frozenset(), frozenset())


print([solve_queens(n) for n in range(1, 7)])


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


print(levenshtein('kitten', 'sitting'), levenshtein('', 'abc'))
matrix = [[1, 2], [3, 4]]


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


print(matmul(matrix, matrix), [list(column) for column in zip(*matrix)])
people = [{'name': 'A', 'age': 30}, {'name': 'B', 'age': 25}, {'name': 'C', 'age': 30}]
print([p['name'] for p in sorted(people, key=lambda p: (-p['age'], p['name']))], min(people, key=lambda p: p['age'])['name'])
