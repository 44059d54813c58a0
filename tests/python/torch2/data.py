import torch
from torch.utils.data import DataLoader, StackDataset, default_collate, random_split

pairs = StackDataset(torch.arange(4), torch.arange(4) * 2)
print(pairs[1], len(pairs))
named = StackDataset(x=torch.arange(4), y=[3, 2, 1, 0])
print(named[2])
print(list(DataLoader(named, batch_size=3)))
for bad in (lambda: StackDataset(torch.arange(3), torch.arange(2)), lambda: StackDataset(), lambda: StackDataset([1], x=[1])):
    try:
        bad()
    except ValueError as error:
        print(error)
generator = torch.Generator().manual_seed(1)
print(random_split(pairs, [0.5, 0.5], generator=generator)[0].indices, default_collate([{'a': 1}, {'a': 2}]))
