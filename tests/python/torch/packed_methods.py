# PackedSequence as an object.
import torch
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_sequence, unpack_sequence, unpad_sequence

p = pack_sequence([torch.tensor([1.0, 2, 3]), torch.tensor([4.0, 5])])
print(p, type(p).__name__, isinstance(p, PackedSequence), isinstance(p, tuple), p._fields if hasattr(p, "_fields") else None)
for name in ("double", "float", "half", "int", "long", "short", "char", "byte", "cpu"):
    moved = getattr(p, name)()
    print(name, moved.data.dtype, isinstance(moved, PackedSequence), moved is p, moved.batch_sizes.dtype)
print(p.to(torch.float64).data, p.to("cpu") is p, p.is_cuda, p.is_pinned())
print(unpack_sequence(p))
padded = pad_sequence([torch.ones(2), torch.ones(3)])
print(unpad_sequence(padded, torch.tensor([2, 3])))
q = pack_padded_sequence(torch.arange(6.0).reshape(3, 2), torch.tensor([1, 3]), enforce_sorted=False)
data, batch_sizes, order, back = q
print(data, batch_sizes, order, back, q[0] is q.data)
print(PackedSequence(torch.ones(2), torch.tensor([2])).sorted_indices)
print(pad_sequence([torch.ones(2), torch.ones(3)], True, 0.5, padding_side="left"))
try:
    pad_sequence([torch.ones(2)], padding_side="middle")
except RuntimeError as error:
    print(error)
