import random
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Squares(Dataset):
    def __init__(self, n, fails_at=None):
        self.n = n
        self.fails_at = fails_at
        self.calls = 0

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        self.calls += 1
        if i == self.fails_at:
            raise ValueError('bad sample %d' % i)
        info = get_worker_info()
        worker = -1 if info is None else info.id
        return i * i, worker, self.calls


class Numbers(IterableDataset):
    def __init__(self, split):
        self.split = split

    def __iter__(self):
        info = get_worker_info()
        if not self.split or info is None:
            return iter(range(5))
        return iter(range(info.id, 5, info.num_workers))


def show(*values):
    print(*values)


for workers in (0, 1, 2, 3):
    data = Squares(7)
    print(workers, [[x.tolist() for x in batch] for batch in DataLoader(data, batch_size=2, num_workers=workers)], data.calls)
for workers in (0, 2, 3):
    for split in (False, True):
        print(workers, split, [batch.tolist() for batch in DataLoader(Numbers(split), batch_size=2, num_workers=workers)])


class Seeds(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        info = get_worker_info()
        return [info.seed, torch.initial_seed(), float(torch.rand(())), random.random(), info.num_workers]


class Who(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        info = get_worker_info()
        return [type(info.dataset).__name__, info.id, str(info)[:14]]


torch.manual_seed(11)
for row in DataLoader(Seeds(), batch_size=None, num_workers=2):
    print(row)
print(torch.rand(1))
generator = torch.Generator()
generator.manual_seed(5)
for row in DataLoader(Seeds(), batch_size=None, num_workers=2, generator=generator):
    print(row[:4])
for row in DataLoader(Who(), batch_size=None, num_workers=2):
    print(row)
print(get_worker_info())


def start(worker):
    get_worker_info().dataset.calls = 100 * (worker + 1)


data = Squares(4)
print([[x.tolist() for x in batch] for batch in DataLoader(data, batch_size=1, num_workers=2, worker_init_fn=start)], data.calls)
loader = DataLoader(data, batch_size=2, num_workers=2, persistent_workers=True)
for epoch in range(2):
    print([[x.tolist() for x in batch] for batch in loader])
loader = DataLoader(data, batch_size=2, num_workers=2)
for epoch in range(2):
    print([[x.tolist() for x in batch] for batch in loader])

for workers in (0, 2):
    seen = []
    try:
        for batch in DataLoader(Squares(6, fails_at=3), batch_size=1, num_workers=workers):
            seen.append(batch[0].tolist())
    except ValueError as e:
        lines = str(e).split('\n')
        print(seen, lines[0], '|', lines[-2:] if workers else '')


def bad_start(worker):
    raise RuntimeError('cannot start %d' % worker)


try:
    list(DataLoader(Squares(2), num_workers=1, worker_init_fn=bad_start))
except RuntimeError as e:
    print(str(e).split('\n')[0])


def collate(samples):
    raise KeyError('collate')


try:
    list(DataLoader(Squares(2), num_workers=1, collate_fn=collate))
except KeyError as e:
    print(type(e).__name__, 'Caught KeyError in DataLoader worker process 0.' in str(e))
for bad in (dict(num_workers=-1), dict(persistent_workers=True), dict(prefetch_factor=4), dict(num_workers=1, timeout=-1), dict(num_workers=1, prefetch_factor=0)):
    try:
        DataLoader(Squares(2), **bad)
        print('made', bad)
    except Exception as e:
        print(type(e).__name__, e)
iterator = iter(DataLoader(Squares(6, fails_at=1), batch_size=1, num_workers=2))
print(next(iterator)[0].tolist())
try:
    next(iterator)
except ValueError as e:
    print('failed')
print(next(iterator)[0].tolist())
random.seed(4)
state = random.getstate()
before = [random.random(), random.gauss(0., 1.)]
list(DataLoader(Seeds(), batch_size=None, num_workers=2))
after = [random.gauss(0., 1.), random.random()]
random.setstate(state)
print(before, after, [random.random(), random.gauss(0., 1.)] == before, len(state), len(state[1]), state[0])
