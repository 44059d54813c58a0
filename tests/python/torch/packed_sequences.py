import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
seqs = [torch.arange(3.), torch.arange(1.), torch.arange(2.)]
padded = pad_sequence(seqs, batch_first=True, padding_value=-1)
print(padded)
lengths = [len(s) for s in seqs]
rnn = nn.GRU(1, 2, batch_first=True)
packed = pack_padded_sequence(padded.unsqueeze(-1), lengths, batch_first=True, enforce_sorted=False)
out, h = rnn(packed)
out, n = pad_packed_sequence(out, batch_first=True)
print(out, n, h)
p = nn.Parameter(torch.tensor([3., 4.]))
(p * p).sum().backward()
print(nn.utils.clip_grad_norm_([p], 1.0), p.grad)
nn.utils.clip_grad_value_([p], 0.5)
print(p.grad, nn.utils.parameters_to_vector([p, p]))
