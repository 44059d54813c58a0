# The model of test_explain: one of each kind of operator that a number can come from. Weights are functions of their
# places, so that the engine and PyTorch have the same.
import torch
import torch.nn.functional as F
from torch import nn


def filled(*shape):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * 0.7 + 0.3).reshape(shape)


class Explained(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, padding=1)
        self.norm2d = nn.BatchNorm2d(3)
        self.fc = nn.Linear(27, 8)
        self.norm = nn.LayerNorm(8)
        self.table = nn.Embedding(10, 8)
        self.drop = nn.Dropout(0.5)
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(filled(*parameter.shape))
            self.norm2d.running_mean.copy_(filled(3))
            self.norm2d.running_var.copy_(filled(3).abs() + 0.5)

    def forward(self, x, ids):
        h = F.max_pool2d(torch.relu(self.norm2d(self.conv(x))), 2)
        y = self.norm(self.fc(h.flatten(1)))
        scaled = [
            F.batch_norm(h, None, None, filled(3), filled(3), training=True),
            F.group_norm(h, 1, filled(3), filled(3)),
            F.instance_norm(h, weight=filled(3)),
        ]
        unit = F.rms_norm(y, (8,), filled(8))
        words = self.table(ids)
        scores = torch.softmax(words @ words.transpose(1, 2) / 8**0.5, -1)
        seen = scores @ words
        fused = F.scaled_dot_product_attention(words, seen, words)
        both = torch.cat([seen, fused], 1)
        picked = both[:, 1:5, ::2]
        first = both[:, torch.tensor([0, 3])]
        kept = self.drop(y)
        gate = torch.sigmoid(kept) * y
        return F.log_softmax(gate + unit + sum(each.mean() for each in scaled) + picked.sum((1, 2)).unsqueeze(1) + first.mean(), -1)


model = Explained().eval()
example_inputs = (filled(1, 2, 6, 6), torch.tensor([[3, 1, 4, 1]]))
