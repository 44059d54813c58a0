from dataclasses import dataclass, field, asdict, replace
from typing import Optional, Tuple, List, Union, Callable
import math
import torch
from torch import nn, Tensor
import torch.nn.functional as F


@dataclass
class ViTConfig:
    image_size: Union[int, Tuple[int, int]] = 16
    patch_size: int = 4
    in_channels: int = 3
    dim: int = 32
    depth: int = 2
    heads: int = 4
    mlp_ratio: float = 2.
    dropout: float = 0.
    num_classes: int = 5
    pool: str = 'cls'
    drop_path: List[float] = field(default_factory=list)
    act: Optional[Callable[[Tensor], Tensor]] = None

    def __post_init__(self):
        if isinstance(self.image_size, int):
            self.image_size = (self.image_size, self.image_size)
        assert self.pool in {'cls', 'mean'}, f'pool type must be cls or mean, not {self.pool!r}'
        self.drop_path = [x.item() for x in torch.linspace(0, 0.1, self.depth)]

    @property
    def num_patches(self) -> int:
        h, w = self.image_size
        return (h // self.patch_size) * (w // self.patch_size)


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


def trunc_normal_(t, std=.02):
    return nn.init.trunc_normal_(t, std=std)


def drop_path(x, drop_prob: float = 0., training: bool = False, scale_by_keep: bool = True):
    if drop_prob == 0. or not training:
        return x
    keep_prob = 1 - drop_prob
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    random_tensor = x.new_empty(shape).bernoulli_(keep_prob)
    if keep_prob > 0.0 and scale_by_keep:
        random_tensor.div_(keep_prob)
    return x * random_tensor


class DropPath(nn.Module):
    def __init__(self, drop_prob: float = 0.):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        return drop_path(x, self.drop_prob, self.training)

    def extra_repr(self):
        return f'drop_prob={round(self.drop_prob,3):0.3f}'


class PatchEmbed(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        self.proj = nn.Conv2d(cfg.in_channels, cfg.dim, cfg.patch_size, cfg.patch_size)
        self.norm = nn.LayerNorm(cfg.dim, eps=1e-6)

    def forward(self, x: Tensor) -> Tensor:
        B, C, H, W = x.shape
        x = self.proj(x).flatten(2).transpose(1, 2)
        return self.norm(x)


class Attention(nn.Module):
    def __init__(self, dim, heads=8, qkv_bias=True, attn_drop=0., proj_drop=0.):
        super().__init__()
        assert dim % heads == 0, 'dim should be divisible by heads'
        self.num_heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)
        self.proj_drop = nn.Dropout(proj_drop)

    def forward(self, x, return_attention=False):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        x = self.proj_drop(self.proj(x))
        if return_attention:
            return x, attn
        return x


class Mlp(nn.Sequential):
    def __init__(self, dim, hidden, drop=0., act_layer=nn.GELU):
        super().__init__(nn.Linear(dim, hidden), act_layer(), nn.Dropout(drop), nn.Linear(hidden, dim), nn.Dropout(drop))


class Block(nn.Module):
    def __init__(self, cfg, i):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.dim)
        self.attn = Attention(cfg.dim, heads=cfg.heads)
        self.drop_path = DropPath(cfg.drop_path[i]) if cfg.drop_path[i] > 0. else nn.Identity()
        self.norm2 = nn.LayerNorm(cfg.dim)
        self.mlp = Mlp(cfg.dim, int(cfg.dim * cfg.mlp_ratio), cfg.dropout)
        self.ls1, self.ls2 = (nn.Parameter(1e-1 * torch.ones(cfg.dim)) for _ in range(2))

    def forward(self, x):
        x = x + self.drop_path(self.ls1 * self.attn(self.norm1(x)))
        x = x + self.drop_path(self.ls2 * self.mlp(self.norm2(x)))
        return x


class VisionTransformer(nn.Module):
    def __init__(self, config: ViTConfig = ViTConfig(), **overrides):
        super().__init__()
        config = replace(config, **overrides)
        self.config = config
        self.patch_embed = PatchEmbed(config)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, config.dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, config.num_patches + 1, config.dim))
        self.pos_drop = nn.Dropout(p=config.dropout)
        self.blocks = nn.ModuleList([Block(config, i) for i in range(config.depth)])
        self.norm = nn.LayerNorm(config.dim)
        self.head = nn.Linear(config.dim, config.num_classes) if config.num_classes > 0 else nn.Identity()
        trunc_normal_(self.pos_embed)
        trunc_normal_(self.cls_token)
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(m):
        if isinstance(m, nn.Linear):
            trunc_normal_(m.weight, std=.02)
            if isinstance(m, nn.Linear) and m.bias is not None:
                nn.init.constant_(m.bias, 0)
        elif isinstance(m, nn.LayerNorm):
            nn.init.constant_(m.bias, 0)
            nn.init.constant_(m.weight, 1.0)

    @torch.jit.ignore
    def no_weight_decay(self):
        return {'pos_embed', 'cls_token'}

    def interpolate_pos_encoding(self, x, w, h):
        npatch = x.shape[1] - 1
        N = self.pos_embed.shape[1] - 1
        if npatch == N and w == h:
            return self.pos_embed
        class_pos_embed = self.pos_embed[:, 0]
        patch_pos_embed = self.pos_embed[:, 1:]
        dim = x.shape[-1]
        w0 = w // self.config.patch_size
        h0 = h // self.config.patch_size
        w0, h0 = w0 + 0.1, h0 + 0.1
        patch_pos_embed = nn.functional.interpolate(
            patch_pos_embed.reshape(1, int(math.sqrt(N)), int(math.sqrt(N)), dim).permute(0, 3, 1, 2),
            scale_factor=(w0 / math.sqrt(N), h0 / math.sqrt(N)),
            mode='bicubic',
        )
        assert int(w0) == patch_pos_embed.shape[-2] and int(h0) == patch_pos_embed.shape[-1]
        patch_pos_embed = patch_pos_embed.permute(0, 2, 3, 1).view(1, -1, dim)
        return torch.cat((class_pos_embed.unsqueeze(0), patch_pos_embed), dim=1)

    def prepare_tokens(self, x):
        B, nc, w, h = x.shape
        x = self.patch_embed(x)
        cls_tokens = self.cls_token.expand(B, -1, -1)
        x = torch.cat((cls_tokens, x), dim=1)
        x = x + self.interpolate_pos_encoding(x, w, h)
        return self.pos_drop(x)

    def forward_features(self, x):
        x = self.prepare_tokens(x)
        for blk in self.blocks:
            x = blk(x)
        return self.norm(x)

    def forward(self, x):
        x = self.forward_features(x)
        x = x.mean(dim=1) if self.config.pool == 'mean' else x[:, 0]
        return self.head(x)

    def get_last_selfattention(self, x):
        x = self.prepare_tokens(x)
        for i, blk in enumerate(self.blocks):
            if i < len(self.blocks) - 1:
                x = blk(x)
            else:
                return blk.attn(blk.norm1(x), return_attention=True)[1]


def param_groups(model, weight_decay=0.05):
    skip = model.no_weight_decay()
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        if p.ndim <= 1 or name.endswith(".bias") or name in skip:
            no_decay.append((name, p))
        else:
            decay.append((name, p))
    print('no decay:', *[n for n, _ in no_decay], sep='\n  ')
    return [{'params': [p for _, p in no_decay], 'weight_decay': 0.}, {'params': [p for _, p in decay], 'weight_decay': weight_decay}]


torch.manual_seed(42)
model = VisionTransformer(dropout=0.1)
print(asdict(model.config))
print(model.config)
model.eval()
x = torch.randn(2, 3, 16, 16)
example_inputs = (x,)
print(model(x))
print(model.get_last_selfattention(x)[0, 0, 0])
print(model(torch.randn(1, 3, 24, 24)))
opt = torch.optim.AdamW(param_groups(model), lr=1e-3, betas=(0.9, 0.95))
model.train()
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / 2, 0.5 * (1 + math.cos(math.pi * s / 10))))
for step in range(3):
    logits = model(x)
    loss = F.cross_entropy(logits, torch.tensor([0, 3]), label_smoothing=0.1)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    gn = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    print(f'{step=} loss={loss.item():.4f} {gn:.3f} lr={sched.get_last_lr()[0]:.2e}')
print(model)
try:
    ViTConfig(pool='max')
except AssertionError as e:
    print(type(e).__name__, e)
