# SPDX-License-Identifier: Apache-2.0
"""Writes layers.txt: for constructor calls of torch.nn, what PyTorch 1.13 makes of them after torch.manual_seed(7).

Run with a Python that has PyTorch: python3 make_layers.py > layers.txt. A block a call:

    = nn.Linear(3, 4)
    printed form, one or more lines
    + name shape first last sum     a line a state_dict entry, sums in double precision
    x shape                         a line an input, drawn by torch.randn next
    y shape first last sum          a line an output tensor for those inputs
"""
import torch
from torch import nn

CALLS = [
    ("nn.Linear(3, 4)", [(2, 3)]),
    ("nn.Linear(3, 4, bias=False)", [(2, 3)]),
    ("nn.Bilinear(3, 4, 5)", [(2, 3), (2, 4)]),
    ("nn.Identity(1, 'a')", [(2,)]),
    ("nn.Conv1d(4, 6, 3, padding='same', groups=2)", [(2, 4, 7)]),
    ("nn.Conv2d(4, 6, (3, 5), stride=2, padding=(1, 2), dilation=2, bias=False)", [(2, 4, 17, 19)]),
    ("nn.Conv2d(3, 4, 3, padding='valid', padding_mode='zeros')", [(3, 6, 7)]),
    ("nn.Conv2d(3, 4, 3, padding='same', padding_mode='reflect')", [(1, 3, 6, 7)]),
    ("nn.Conv3d(2, 3, 2)", [(1, 2, 4, 5, 6)]),
    ("nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1, dilation=2)", [(2, 4, 7)]),
    ("nn.ConvTranspose2d(4, 6, 3, groups=2)", [(2, 4, 5, 6)]),
    ("nn.ConvTranspose3d(2, 3, 2, bias=False)", [(1, 2, 3, 4, 5)]),
    ("nn.MaxPool1d(3, 2, ceil_mode=True)", [(2, 3, 8)]),
    ("nn.MaxPool2d(3, return_indices=True)", [(2, 3, 9, 9)]),
    ("nn.MaxPool3d((2, 3, 2))", [(1, 2, 6, 6, 6)]),
    ("nn.AvgPool2d(2, divisor_override=3)", [(2, 3, 6, 6)]),
    ("nn.LPPool1d(3, 2, 2)", [(2, 3, 8)]),
    ("nn.FractionalMaxPool2d(2, output_size=(3, 4))", [(2, 3, 9, 9)]),
    ("nn.FractionalMaxPool2d(2, output_ratio=0.5)", [(2, 3, 9, 9)]),
    ("nn.FractionalMaxPool3d(2, output_size=3)", [(1, 2, 8, 8, 8)]),
    ("nn.AdaptiveMaxPool2d((None, 3), return_indices=True)", [(2, 3, 7, 8)]),
    ("nn.AdaptiveAvgPool1d(4)", [(2, 3, 9)]),
    ("nn.ReflectionPad1d(2)", [(2, 3, 5)]),
    ("nn.ReplicationPad3d(1)", [(1, 2, 3, 3, 3)]),
    ("nn.ConstantPad1d(2, 3.5)", [(2, 3, 5)]),
    ("nn.ZeroPad2d(2)", [(2, 3, 5, 5)]),
    ("nn.Threshold(0.1, 20)", [(3, 4)]),
    ("nn.ReLU(inplace=True)", []),
    ("nn.ReLU6()", [(3, 4)]),
    ("nn.RReLU(0.1, 0.3, True)", []),
    ("nn.Hardtanh(-2, 2)", [(3, 4)]),
    ("nn.Softplus(2, 10)", [(3, 4)]),
    ("nn.PReLU(3, init=0.1)", [(2, 3, 4)]),
    ("nn.GLU()", [(3, 4)]),
    ("nn.GELU('tanh')", [(3, 4)]),
    ("nn.Hardshrink(1)", [(3, 4)]),
    ("nn.Softmax2d()", [(2, 3, 4, 4)]),
    ("nn.LogSoftmax(dim=1)", [(3, 4)]),
    ("nn.Hardswish()", [(3, 4)]),
    ("nn.SELU(True)", []),
    ("nn.CELU(1.5, True)", []),
    ("nn.BatchNorm1d(3)", [(5, 3)]),
    ("nn.BatchNorm2d(3, momentum=None)", [(5, 3, 2, 2)]),
    ("nn.BatchNorm3d(3, affine=False)", [(2, 3, 2, 2, 2)]),
    ("nn.SyncBatchNorm(3)", []),
    ("nn.InstanceNorm1d(3, affine=True)", [(3, 6)]),
    ("nn.InstanceNorm2d(3, track_running_stats=True)", [(2, 3, 4, 4)]),
    ("nn.LayerNorm((3, 4))", [(2, 3, 4)]),
    ("nn.LayerNorm(4, elementwise_affine=False)", [(2, 3, 4)]),
    ("nn.GroupNorm(2, 4)", [(2, 4, 3)]),
    ("nn.LocalResponseNorm(2)", [(2, 4, 3, 3)]),
    ("nn.CrossMapLRN2d(3)", [(2, 4, 3, 3)]),
    ("nn.CrossMapLRN2d(4)", [(2, 6, 3, 3)]),
    ("nn.Dropout(0.3)", [(4, 5)]),
    ("nn.Dropout1d(0.3)", [(4, 5)]),
    ("nn.Dropout2d(0.3)", [(4, 5, 2, 2)]),
    ("nn.Dropout3d(0.5)", [(4, 5, 2, 2)]),
    ("nn.AlphaDropout(0.3)", [(4, 5)]),
    ("nn.FeatureAlphaDropout(0.3)", [(4, 5, 2)]),
    ("nn.Embedding(5, 3, padding_idx=-1, max_norm=1)", []),
    ("nn.Embedding(5, 3, norm_type=1.5, scale_grad_by_freq=True, sparse=True)", []),
    ("nn.EmbeddingBag(5, 3, mode='sum', padding_idx=2)", []),
    ("nn.PixelShuffle(2)", [(1, 8, 3, 3)]),
    ("nn.PixelUnshuffle(2)", [(1, 2, 4, 4)]),
    ("nn.ChannelShuffle(2)", [(1, 4, 2, 2)]),
    ("nn.Upsample(scale_factor=2)", [(1, 2, 3, 3)]),
    ("nn.Upsample(size=(5, 7), mode='bilinear', align_corners=True)", [(1, 2, 3, 3)]),
    ("nn.UpsamplingNearest2d(scale_factor=2)", [(1, 2, 3, 3)]),
    ("nn.UpsamplingBilinear2d(size=5)", [(1, 2, 3, 3)]),
    ("nn.Fold((4, 5), 2)", [(1, 12, 12)]),
    ("nn.Unfold((2, 3), padding=1)", [(1, 2, 4, 5)]),
    ("nn.Flatten(0, 1)", [(2, 3, 4)]),
    ("nn.Unflatten(1, (2, 2))", [(3, 4)]),
    ("nn.CosineSimilarity()", [(3, 4), (3, 4)]),
    ("nn.PairwiseDistance(1)", [(3, 4), (3, 4)]),
    ("nn.L1Loss(reduction='sum')", [(3, 4), (3, 4)]),
    ("nn.MSELoss(size_average=False)", [(3, 4), (3, 4)]),
    ("nn.SmoothL1Loss(beta=0.5)", [(3, 4), (3, 4)]),
    ("nn.HuberLoss('none', 0.7)", [(3, 4), (3, 4)]),
    ("nn.GaussianNLLLoss(full=True)", []),
    ("nn.PoissonNLLLoss(full=True)", []),
    ("nn.KLDivLoss(reduction='batchmean', log_target=True)", [(3, 4), (3, 4)]),
    ("nn.TripletMarginLoss(swap=True)", [(3, 4), (3, 4), (3, 4)]),
    ("nn.TripletMarginWithDistanceLoss(swap=True)", [(3, 4), (3, 4), (3, 4)]),
    ("nn.SoftMarginLoss()", [(3, 4), (3, 4)]),
    ("nn.MultiLabelSoftMarginLoss()", [(3, 4), (3, 4)]),
    ("nn.CrossEntropyLoss(label_smoothing=0.1)", [(3, 4), (3, 4)]),
    ("nn.BCEWithLogitsLoss(reduction='none')", [(3, 4), (3, 4)]),
    ("nn.RNN(3, 4, 2, nonlinearity='relu', bidirectional=True)", [(5, 2, 3)]),
    ("nn.RNN(3, 4, bias=False, batch_first=True)", [(2, 5, 3), (1, 2, 4)]),
    ("nn.LSTM(3, 4, 2, dropout=0.25, proj_size=2)", [(5, 2, 3)]),
    ("nn.LSTM(3, 4, bidirectional=True)", [(5, 3)]),
    ("nn.GRU(3, 4, 2, batch_first=True)", [(2, 5, 3)]),
    ("nn.RNNCell(3, 4, nonlinearity='relu')", [(2, 3)]),
    ("nn.LSTMCell(3, 4, bias=False)", [(2, 3)]),
    ("nn.GRUCell(3, 4)", [(3,), (4,)]),
    ("nn.MultiheadAttention(6, 2)", [(4, 2, 6), (5, 2, 6), (5, 2, 6)]),
    ("nn.MultiheadAttention(6, 3, bias=False, add_bias_kv=True, add_zero_attn=True, kdim=4, vdim=5)", [(4, 2, 6), (5, 2, 4), (5, 2, 5)]),
    ("nn.MultiheadAttention(6, 2, dropout=0.5, batch_first=True)", [(2, 4, 6), (2, 5, 6), (2, 5, 6)]),
    ("nn.TransformerEncoderLayer(6, 2, 8, activation='gelu', norm_first=True)", [(4, 2, 6)]),
    ("nn.TransformerDecoderLayer(6, 2, 8, batch_first=True)", [(2, 4, 6), (2, 5, 6)]),
    ("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2, nn.LayerNorm(4))", [(3, 2, 4)]),
    ("nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2)", [(3, 2, 4), (5, 2, 4)]),
    ("nn.Transformer(4, 2, 1, 1, 8)", [(3, 2, 4), (5, 2, 4)]),
    ("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2)), nn.Sequential())", [(2, 3)]),
    ("nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])", []),
    ("nn.ModuleDict([['a', nn.Linear(2, 2)], ['b', nn.Sigmoid()]])", []),
    ("nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5], div_value=2)", []),
    ("nn.AdaptiveLogSoftmaxWithLoss(6, 10, [4], head_bias=True)", []),
]


def line(mark, t):
    flat = t.detach().reshape(-1).double()
    ends = (flat[0].item(), flat[-1].item()) if flat.numel() else (0.0, 0.0)
    shape = "x".join(map(str, t.shape)) or "scalar"
    return f"{mark} {shape} {ends[0]!r} {ends[1]!r} {flat.sum().item()!r}"


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in tensors(v)] if isinstance(value, (tuple, list)) else []


for call, shapes in CALLS:
    torch.manual_seed(7)
    module = eval(call)
    print("=", call)
    print(module)
    for name, value in module.state_dict().items():
        print(line("+ " + name, value))
    if shapes:
        inputs = [torch.randn(shape) for shape in shapes]
        for shape in shapes:
            print("x", "x".join(map(str, shape)))
        for output in tensors(module(*inputs)):
            print(line("y", output))
