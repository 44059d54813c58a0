import torch
from collections import namedtuple
from torch.utils.data import (BatchSampler, ChainDataset, ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler, Sampler,
                              SequentialSampler, Subset, SubsetRandomSampler, TensorDataset, WeightedRandomSampler, default_collate,
                              get_worker_info, random_split)
from torch.utils.data.sampler import SubsetRandomSampler as Same

print(Same is SubsetRandomSampler)


def seeded(seed):
    return torch.Generator().manual_seed(seed)


print(list(RandomSampler(range(10), generator=seeded(1))))
print(list(RandomSampler(range(10), replacement=True, num_samples=40, generator=seeded(2))))
print(list(WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 8, generator=seeded(4))))
print([p.indices for p in random_split(range(11), [0.3, 0.3, 0.4], generator=seeded(42))])
torch.manual_seed(5)
print(list(SubsetRandomSampler([10, 20, 30, 40, 50])), torch.randint(1000, (2,)).tolist())


class Drawn(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        info = get_worker_info()
        return torch.randint(1000, (1,)).item() * 10 + (info.id if info else 9)


for workers in (0, 2):
    torch.manual_seed(0)
    print([b.tolist() for b in DataLoader(Drawn(), batch_size=2, num_workers=workers)])
torch.manual_seed(0)
kept = DataLoader(Drawn(), batch_size=2, num_workers=2, persistent_workers=True)
print([[b.tolist() for b in kept] for _ in range(2)])


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first = info.id * 100 if info else 0
        return iter(range(first, first + 3 + (2 * info.id if info else 0)))


print([b.tolist() for b in DataLoader(Stream(), batch_size=2, num_workers=2)])
print([b.tolist() for b in DataLoader(Stream(), batch_size=2, num_workers=2, drop_last=True)])
print([b.tolist() for b in DataLoader(ChainDataset([Stream(), Stream()]), batch_size=4)])
print(list(DataLoader(Stream(), batch_size=None)))


class Backwards(Sampler):
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        return iter(range(len(self.data) - 1, -1, -1))

    def __len__(self):
        return len(self.data)


data = TensorDataset(torch.arange(6.), torch.arange(6) * 2)
for batch in DataLoader(data, batch_size=4, sampler=Backwards(data)):
    print(batch)
print([b[1].tolist() for b in DataLoader(data, batch_sampler=[[0, 5], [1]])])
print(len(DataLoader(data, batch_size=4, drop_last=True)), [b[0].tolist() for b in DataLoader(data, batch_size=4, drop_last=True)])
print([s for s in DataLoader(Subset(data, [3, 1]), batch_size=None)])
print([x for x in DataLoader(range(5), batch_size=2, collate_fn=lambda b: sum(b))])
both = ConcatDataset([range(3), range(10, 12)])
print(len(both), both[4], both[-1], both.cumulative_sizes)

Pair = namedtuple('Pair', ['x', 'y'])
print(default_collate([1, 2]), default_collate([1.5, 2]), default_collate([1, 2.5]), default_collate([True, False]))
print(default_collate(['a', 'b']), default_collate([{'a': 1, 'b': (1, 'x')}, {'a': 2, 'b': (3, 'y')}]), default_collate([b'a', b'b']))
print(default_collate([Pair(1, 2.), Pair(3, 4.)]))


def attempt(work):
    try:
        print(work())
    except Exception as error:
        print(type(error).__name__, str(error).split('\n')[0])


class Bad(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 2:
            raise ValueError('bad thing')
        return index


class Counted(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


attempt(lambda: list(DataLoader(Bad(), num_workers=1)))
attempt(lambda: list(DataLoader(Bad())))
attempt(lambda: default_collate([(1, 2), (1,)]))
attempt(lambda: default_collate([None]))
attempt(lambda: default_collate([torch.zeros(2), torch.zeros(3)]))
attempt(lambda: default_collate([{'a': 1}, {'b': 2}]))
attempt(lambda: RandomSampler(range(3), num_samples=0))
attempt(lambda: RandomSampler([]))
attempt(lambda: RandomSampler([1], replacement=1))
attempt(lambda: BatchSampler(SequentialSampler(range(3)), 0, False))
attempt(lambda: WeightedRandomSampler([[1., 2.]], 1))
attempt(lambda: random_split(range(4), [1, 2]))
attempt(lambda: random_split(range(4), [1.5, -0.5]))
attempt(lambda: DataLoader(range(3), num_workers=-1))
attempt(lambda: DataLoader(range(3), batch_size=None, drop_last=True))
attempt(lambda: DataLoader(range(3), batch_size=0))
attempt(lambda: DataLoader(range(3), sampler=SequentialSampler(range(3)), shuffle=True))
attempt(lambda: DataLoader(Stream(), shuffle=True))
attempt(lambda: DataLoader(range(3), persistent_workers=True))
attempt(lambda: both[7])
attempt(lambda: setattr(DataLoader(range(3)), 'batch_size', 3))
attempt(lambda: TensorDataset(torch.zeros(2), torch.zeros(3)))
