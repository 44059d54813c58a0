import torch
import einops
from einops import EinopsError, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce

x = torch.arange(2 * 3 * 4 * 4, dtype=torch.float32).reshape(2, 3, 4, 4)
print(rearrange(x, 'b c (h p) (w q) -> b (h w) (p q c)', p=2, q=2).shape, rearrange(x, 'b ... -> (...) b').shape)
print(rearrange(x, 'b c h w -> b h w c').stride(), rearrange([x, x], 'n b ... -> b n ...').shape)
print(reduce(x, 'b c h w -> b c', 'mean'), reduce(x, 'b c (h 2) (w 2) -> b c h w', 'max')[0, 0], reduce(x, 'b ... -> b', 'sum'))
print(repeat(x[0, 0, 0], 'w -> h w', h=2), repeat(x[0, 0, 0], 'w -> (w 2)'), repeat(x[0], 'c h w -> b c h w', b=5).shape)
print(einsum(x, x, 'b c h w, b c h v -> b w v').shape, parse_shape(x, 'b _ h w'))
packed, shapes = pack([x, torch.zeros(2, 3, 4)], 'b c *')
print(packed.shape, shapes, [part.shape for part in unpack(packed, shapes, 'b c *')])
for bad in (lambda: rearrange(x, 'b c h -> b c h'), lambda: rearrange(x, 'b c h w -> b c h'), lambda: rearrange(x, '(b z) c h w -> b z c h w', z=3),
            lambda: repeat(x, 'b c h w -> b c h w r'), lambda: reduce(x, 'b c h w -> b c', 'median')):
    try:
        bad()
    except EinopsError as e:
        print(str(e).split('\n')[-1])
torch.manual_seed(0)
net = torch.nn.Sequential(Rearrange('b c (h p) (w q) -> b (h w) (p q c)', p=2, q=2), torch.nn.Linear(12, 8), Reduce('b n d -> b d', 'mean'),
                          EinMix('b (h d) -> b h e', weight_shape='h d e', bias_shape='h e', h=2, d=4, e=3))
print(net)
print(net(x).detach(), [(name, tuple(p.shape)) for name, p in net.named_parameters()])
