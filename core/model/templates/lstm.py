import torch
import torch.nn as nn


class Tagger(nn.Module):
    """Reads a row of numbers and says which class it is of."""

    def __init__(self, vocabulary=128, width=32, hidden=64, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, classes)

    def forward(self, tokens):
        states, _ = self.lstm(self.embedding(tokens))
        return self.head(states.mean(1))


model = Tagger()

example_inputs = (torch.randint(0, 128, (1, 16)),)
