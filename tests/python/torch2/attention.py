import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def shown(t):
    return (t * 1000).round().to(torch.int64).tolist()


torch.manual_seed(0)
q = torch.randn(2, 4, 5, 8, requires_grad=True)
k = torch.randn(2, 4, 5, 8)
v = torch.randn(2, 4, 5, 6)
print(shown(F.scaled_dot_product_attention(q, k, v)[0, 0]))
print(shown(F.scaled_dot_product_attention(q, k, v, is_causal=True)[1, 2]))
visible = torch.rand(5, 5) > 0.4
visible[:, 0] = True
print(shown(F.scaled_dot_product_attention(q, k, v, attn_mask=visible)[0, 3]))
added = torch.randn(2, 1, 5, 5)
out = F.scaled_dot_product_attention(q, k, v, attn_mask=added, scale=0.3)
print(shown(out[1, 1]))
out.pow(2).sum().backward()
print(shown(q.grad[1, 3]))
with sdpa_kernel(SDPBackend.MATH):
    print(shown(F.scaled_dot_product_attention(q, k, v)[0, 0, 0]))

for bad in (lambda: F.scaled_dot_product_attention(q, k.double(), v),
            lambda: F.scaled_dot_product_attention(q[0, 0, 0], k, v),
            lambda: nn.MultiheadAttention(4, 2)(torch.ones(2, 3, 4), torch.ones(2, 3, 4), torch.ones(2, 3, 4), is_causal=True)):
    try:
        bad()
    except RuntimeError as error:
        print(error)

layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, bias=False, norm_first=True, dropout=0.0)
print([(name, tuple(p.shape)) for name, p in layer.named_parameters()])
mask = nn.Transformer.generate_square_subsequent_mask(5)
print(mask)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, dropout=0.0), 2, enable_nested_tensor=False)
print(shown(encoder(torch.randn(2, 5, 16), mask=mask, is_causal=True)[0, :2]))
decoder = nn.TransformerDecoderLayer(16, 4, 32, batch_first=True, dropout=0.0)
print(shown(decoder(torch.randn(1, 5, 16), torch.randn(1, 3, 16), tgt_mask=mask, tgt_is_causal=True)[0, 4]))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.RMSNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.proj = nn.Linear(dim, dim)
        self.out = nn.LayerNorm(dim, bias=False)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(self.norm(x)).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0, is_causal=True)
        return self.out(x + self.proj(y.transpose(1, 2).reshape(B, T, C)))


torch.manual_seed(1)
model = Block(16, 4).eval()
print(model)
out = model(torch.randn(2, 5, 16))
out.pow(3).sum().backward()
print(shown(out[0, :2]), [name for name, _ in model.named_parameters()])
print(shown(model.norm.weight.grad))
