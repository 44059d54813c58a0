import torch
import torch.nn as nn

torch.manual_seed(0)
rnn = nn.LSTM(3, 4, num_layers=2, batch_first=True)
x = torch.randn(2, 5, 3)
out, (h, c) = rnn(x)
print(out.shape, h.shape, c.shape)
print(out[0, -1], h[-1, 0])
out.sum().backward()
print(rnn.weight_ih_l0.grad.norm(), [n for n, _ in rnn.named_parameters()])
gru = nn.GRU(3, 2, bidirectional=True)
y, hn = gru(x.transpose(0, 1))
print(y.shape, hn)
cell = nn.GRUCell(3, 2)
h = torch.zeros(2, 2)
for t in range(3):
    h = cell(x[:, t], h)
print(h)

class CharRNN(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.RNN(dim, dim, batch_first=True, nonlinearity='relu')
        self.out = nn.Linear(dim, vocab)
    def forward(self, x, h=None):
        e = self.embed(x)
        y, h = self.rnn(e, h)
        return self.out(y), h

m = CharRNN(7, 4)
logits, h = m(torch.tensor([[1, 2, 3]]))
print(logits, h.shape)
logits, h = m(torch.tensor([[4]]), h)
print(logits)
