import torch

path = '/tmp/loupe_test_special.pt'
coo = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3., 4., 5.], (2, 3))
hybrid = torch.sparse_coo_tensor([[1, 0]], torch.arange(4, dtype=torch.float64).reshape(2, 2), (3, 2))
generator = torch.Generator()
generator.manual_seed(3)
values = {'coo': coo, 'hybrid': hybrid, 'coalesced': coo.coalesce(), 'layout': [torch.strided, torch.sparse_coo], 'state': generator.get_state(),
          'sizes': [torch.Size([1, 2]), torch.Size([3]), torch.ones(4, 5).shape],
          'half': torch.ones(2, dtype=torch.bfloat16), 'flags': torch.tensor([True, False]), 'z': torch.tensor([1 - 2j]),
          'device': torch.device('cpu'), 'scalar': torch.tensor(2.5)}
for zipped in (True, False):
    torch.save(values, path, _use_new_zipfile_serialization=zipped)
    read = torch.load(path)
    for key in values:
        print(key, read[key])
    print(read['coo'].is_coalesced(), read['coalesced'].is_coalesced(), read['coo'].to_dense())
    other = torch.Generator()
    other.set_state(read['state'])
    print(torch.rand(2, generator=other))
