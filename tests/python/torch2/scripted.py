import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm = nn.RMSNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.pad = nn.Sequential(nn.CircularPad1d(1), nn.ZeroPad1d((2, 0)), nn.ReflectionPad1d(1))
        self.out = nn.LayerNorm(dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, C = x.shape
        q, k, v = self.qkv(self.norm(x)).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.pad(self.out(x + y.transpose(1, 2).reshape(B, T, C)))


torch.manual_seed(0)
model = Block(8, 2)
scripted = torch.jit.script(model)
x = torch.randn(1, 3, 8)
out = scripted(x)
print(tuple(out.shape), torch.allclose(out, model(x)), (out[0, 0] * 1000).round().to(torch.int64).tolist())


@torch.jit.script
def attend(q, k, v, mask: torch.Tensor):
    return F.scaled_dot_product_attention(q, k, v, mask, scale=0.5) + F.rms_norm(v, [4], eps=0.1)


print((attend(torch.ones(1, 2, 4), torch.ones(1, 2, 4), torch.arange(8.).reshape(1, 2, 4), torch.eye(2)) * 1000).round())
