# SPDX-License-Identifier: Apache-2.0
"""An event simulation and a state machine."""
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
import random


class State(Enum):
    IDLE = auto()
    RUNNING = auto()
    BLOCKED = auto()
    DONE = auto()


TRANSITIONS = {
    State.IDLE: {State.RUNNING},
    State.RUNNING: {State.BLOCKED, State.DONE, State.IDLE},
    State.BLOCKED: {State.IDLE},
    State.DONE: set(),
}


class InvalidTransition(Exception):
    def __init__(self, old, new):
        self.old, self.new = old, new
        super().__init__(f'{old.name} -> {new.name}')


@dataclass
class Process:
    pid: int
    work: int
    state: State = State.IDLE
    history: list = field(default_factory=list, repr=False)

    def move(self, new):
        if new not in TRANSITIONS[self.state]:
            raise InvalidTransition(self.state, new)
        self.history.append(self.state.name[0])
        self.state = new


class Scheduler:
    def __init__(self, seed, quantum=2):
        self.rng = random.Random(seed)
        self.queue = deque()
        self.blocked = {}
        self.clock = 0
        self.quantum = quantum
        self.log = []

    def spawn(self, *works):
        for pid, work in enumerate(works, start=len(self.queue)):
            self.queue.append(Process(pid, work))
        return self

    def tick(self):
        self.clock += 1
        for pid, (process, until) in list(self.blocked.items()):
            if until <= self.clock:
                process.move(State.IDLE)
                self.queue.append(process)
                del self.blocked[pid]
        if not self.queue:
            return bool(self.blocked)
        process = self.queue.popleft()
        process.move(State.RUNNING)
        for _ in range(min(self.quantum, process.work)):
            process.work -= 1
            if self.rng.random() < 0.2 and process.work:
                process.move(State.BLOCKED)
                self.blocked[process.pid] = (process, self.clock + self.rng.randint(1, 3))
                self.log.append(f'{self.clock}: {process.pid} blocks')
                break
        else:
            if process.work:
                process.move(State.IDLE)
                self.queue.append(process)
            else:
                process.move(State.DONE)
                self.log.append(f'{self.clock}: {process.pid} done after {"".join(process.history)}')
        return bool(self.queue or self.blocked)

    def run(self):
        while self.tick():
            pass
        return self.clock


s = Scheduler(seed=11).spawn(5, 3, 8, 1)
print(s.run())
print(*s.log, sep='\n')
try:
    Process(9, 1, State.DONE).move(State.IDLE)
except InvalidTransition as error:
    print('invalid', error, error.old, error.new.value)


def life(cells, steps):
    for _ in range(steps):
        counts = {}
        for (x, y) in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        key = (x + dx, y + dy)
                        counts[key] = counts.get(key, 0) + 1
        cells = {cell for cell, n in counts.items() if n == 3 or (n == 2 and cell in cells)}
    return cells


glider = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
final = life(glider, 4)
print(sorted(final), final == {(x + 1, y + 1) for x, y in glider})
for y in range(4):
    print(''.join('#' if (x, y) in final else '.' for x in range(5)))


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @classmethod
    def identity(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __matmul__(self, other):
        if self.shape[1] != other.shape[0]:
            raise ValueError(f'shapes {self.shape} and {other.shape} do not match')
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])

    def __pow__(self, n):
        result, base = Matrix.identity(len(self.rows)), self
        while n:
            if n & 1:
                result = result @ base
            base = base @ base
            n >>= 1
        return result

    def __getitem__(self, key):
        i, j = key
        return self.rows[i][j]

    def __eq__(self, other):
        return self.rows == other.rows

    def __str__(self):
        return '\n'.join(' '.join(f'{v:4}' for v in row) for row in self.rows)


fib = Matrix([[1, 1], [1, 0]])
print((fib ** 30)[0, 1], fib ** 5 @ Matrix.identity(2) == fib ** 5, fib.shape)
print(fib ** 10)
try:
    fib @ Matrix([[1, 2, 3]])
except ValueError as error:
    print(error)
