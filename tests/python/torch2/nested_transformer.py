# Transformer layers on nested tensors, and padding that an encoder leaves out.
import torch
import torch.nested
from torch import nn


def fill(module):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(((torch.arange(p.numel(), dtype=torch.float32) * 7 % 11) * 0.1 - 0.5).view(p.shape))
    return module.eval()


def value(*shape):
    count = 1
    for size in shape:
        count *= size
    return ((torch.arange(count, dtype=torch.float32) * 5 % 13) * 0.2 - 1).reshape(shape)


def show(title, t):
    print(title, [[[round(float(v), 4) for v in row] for row in each] for each in t])


def refused(title, function):
    try:
        function()
        print(title, "ran")
    except Exception as error:
        print(title, type(error).__name__, " ".join(str(error).split()))


x = torch.nested.nested_tensor([value(2, 8), value(3, 8)])
for activation, norm_first in (("relu", False), ("gelu", True)):
    layer = fill(nn.TransformerEncoderLayer(8, 2, 12, activation=activation, norm_first=norm_first, batch_first=True))
    with torch.no_grad():
        y = layer(x)
        print(y.is_nested, y.dim(), y.numel())
        show("layer", y.to_padded_tensor(0.0))
attention = fill(nn.MultiheadAttention(8, 2, batch_first=True))
with torch.no_grad():
    y, weights = attention(x, x, x)
    show("attention", y.to_padded_tensor(0.0))
    show("weights", weights)
    y, weights = attention(x, x, x, need_weights=False)
    print(weights)
    y, weights = attention(x, x, x, average_attn_weights=False)
    print(weights.shape)

# With a mask the padding is left out and is zeros in the end.
encoder = fill(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, batch_first=True), 2))
print(encoder.enable_nested_tensor, encoder.use_nested_tensor, encoder.mask_check)
dense, padding = value(2, 4, 8), torch.tensor([[False, False, True, True], [False, False, False, True]])
with torch.no_grad():
    show("encoder", encoder(dense, src_key_padding_mask=padding))
    show("float mask", encoder(dense, src_key_padding_mask=torch.zeros(2, 4).masked_fill(padding, float("-inf"))))
    show("nested", encoder(x).to_padded_tensor(0.0))
    normed = fill(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, batch_first=True), 1, nn.LayerNorm(8)))
    show("with a norm", normed(dense, src_key_padding_mask=padding))
    plain = nn.TransformerEncoder(encoder.layers[0], 2, enable_nested_tensor=False).eval()
    print(plain.use_nested_tensor, torch.equal(plain(dense, src_key_padding_mask=padding)[0, 3], torch.zeros(8)))
    late = torch.tensor([[True, False, False, False], [False, False, False, True]])
    print("not aligned", float(encoder(dense, src_key_padding_mask=late)[0, 0].abs().sum()) > 0)
grown = encoder(dense, src_key_padding_mask=padding)
print("with grad", grown.requires_grad, float(grown.detach()[0, 3].abs().sum()) > 0)
uneven = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12), 1)
print(uneven.use_nested_tensor)

refused("grad", lambda: layer(x))
layer.train()
refused("training", lambda: layer(x))
layer.eval()
with torch.no_grad():
    refused("mask", lambda: layer(x, src_mask=torch.zeros(2, 2)))
    refused("padding", lambda: layer(x, src_key_padding_mask=torch.zeros(2, 3).bool()))
    refused("other key", lambda: attention(x, x, x.clone()))
    refused("batch second", lambda: fill(nn.MultiheadAttention(8, 2))(x, x, x))
    refused("jagged", lambda: attention(*[torch.nested.nested_tensor([value(2, 8), value(3, 8)], layout=torch.jagged)] * 3))
    refused("odd heads", lambda: fill(nn.MultiheadAttention(6, 3, batch_first=True))(*[torch.nested.nested_tensor([value(2, 6)])] * 3))
refused("mask dtype", lambda: torch._nested_tensor_from_mask(dense, torch.ones(2, 4)))
refused("mask gaps", lambda: torch._nested_tensor_from_mask(dense, ~late))
refused("mask size", lambda: torch._nested_tensor_from_mask(dense, torch.ones(2, 3).bool()))
