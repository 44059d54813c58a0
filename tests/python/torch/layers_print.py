import torch
import torch.nn as nn
for m in (nn.Linear(2, 3), nn.Linear(2, 3, bias=False), nn.Conv2d(3, 8, 3), nn.Conv2d(3, 8, (3, 5), stride=2, padding=(1, 2), dilation=1, groups=1, bias=False), nn.Conv1d(1, 2, 3, padding='same'),
          nn.ConvTranspose2d(2, 2, 2, stride=2), nn.BatchNorm2d(3), nn.BatchNorm1d(4, affine=False), nn.LayerNorm(8), nn.LayerNorm((2, 3), elementwise_affine=False), nn.GroupNorm(2, 4), nn.InstanceNorm2d(3),
          nn.ReLU(), nn.ReLU(inplace=True), nn.LeakyReLU(0.2), nn.GELU(), nn.Sigmoid(), nn.Tanh(), nn.Softmax(dim=1), nn.PReLU(), nn.ELU(), nn.SiLU(), nn.Hardswish(),
          nn.MaxPool2d(2), nn.MaxPool2d(3, stride=2, padding=1), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d((1, 1)), nn.AdaptiveAvgPool2d(1), nn.Dropout(0.3), nn.Dropout2d(), nn.Flatten(), nn.Identity(), nn.Embedding(10, 4), nn.Embedding(10, 4, padding_idx=0),
          nn.LSTM(4, 8), nn.LSTM(4, 8, num_layers=2, batch_first=True, bidirectional=True), nn.GRU(2, 3), nn.RNN(2, 3), nn.LSTMCell(2, 3), nn.MSELoss(), nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss(), nn.Upsample(scale_factor=2, mode='nearest'),
          nn.ZeroPad2d(1), nn.ReflectionPad2d((1, 1, 0, 0)), nn.PixelShuffle(2), nn.Unflatten(1, (2, 2)), nn.Bilinear(1, 2, 3), nn.MultiheadAttention(4, 2), nn.TransformerEncoderLayer(4, 2, 8)):
    print(m)
