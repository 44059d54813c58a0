"""A Wasserstein GAN with gradient penalty on a ring of Gaussians: double backward, spectral norm, running averages, checkpoints."""
import io
import logging
import math
import sys
from collections import deque
from statistics import mean, pstdev
from types import SimpleNamespace

import torch
import torch.nn as nn
from torch.nn.utils import parametrizations, parameters_to_vector, vector_to_parameters

logging.basicConfig(level=logging.INFO, format='%(levelname)s %(message)s', stream=sys.stdout)
log = logging.getLogger('gan')
cfg = SimpleNamespace(modes=8, radius=2.0, sigma=0.05, z=4, width=16, batch=24, critic=2, penalty=10.0, steps=6, lr=1e-3, decay=0.9)


def real_batch(n, generator=None):
    angle = torch.randint(cfg.modes, (n,), generator=generator) * (2 * math.pi / cfg.modes)
    centre = torch.stack((angle.cos(), angle.sin()), dim=1) * cfg.radius
    return torch.addcmul(centre, torch.full((), cfg.sigma), torch.randn(n, 2, generator=generator))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.scale = nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        return x + self.scale * self.net(x)


def make_generator():
    return nn.Sequential(nn.Linear(cfg.z, cfg.width), nn.SiLU(), Residual(cfg.width), nn.Linear(cfg.width, 2))


class Critic(nn.Module):
    def __init__(self, spectral=False):
        super().__init__()
        wrap = parametrizations.spectral_norm if spectral else (lambda m: m)
        self.body = nn.Sequential(wrap(nn.Linear(2, cfg.width)), nn.LeakyReLU(0.2), wrap(nn.Linear(cfg.width, cfg.width)), nn.LeakyReLU(0.2))
        self.head = nn.Linear(cfg.width, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1)
    mixed = real.lerp(fake, alpha).requires_grad_(True)
    scores = critic(mixed)
    gradient, = torch.autograd.grad(scores, mixed, grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True)
    return (gradient.norm(2, dim=1) - 1).square().mean()


class Averaged:
    def __init__(self, model, decay):
        self.decay, self.shadow = decay, {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay) if v.is_floating_point() else self.shadow[k].copy_(v)

    def __enter__(self):
        return self.shadow

    def __exit__(self, *exc):
        return False


torch.manual_seed(1)
G, D = make_generator(), Critic()
print(G, D, sum(map(torch.numel, G.parameters())), sum(p.numel() for p in D.parameters()))
opt_g = torch.optim.Adam(G.parameters(), lr=cfg.lr, betas=(0.0, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=cfg.lr, betas=(0.0, 0.9))
average = Averaged(G, cfg.decay)
recent = deque(maxlen=4)
norms = []
handle = D.head.register_full_backward_hook(lambda m, gi, go: norms.append(go[0].norm().item()))
for step in range(cfg.steps):
    for p in D.parameters():
        p.requires_grad_(True)
    for _ in range(cfg.critic):
        real = real_batch(cfg.batch)
        with torch.no_grad():
            fake = G(torch.randn(cfg.batch, cfg.z))
        penalty = gradient_penalty(D, real, fake)
        distance = D(real).mean() - D(fake).mean()
        loss_d = -distance + cfg.penalty * penalty
        opt_d.zero_grad(set_to_none=True)
        loss_d.backward()
        opt_d.step()
        recent.append(distance.item())
    for p in D.parameters():
        p.requires_grad_(False)
    opt_g.zero_grad(set_to_none=True)
    loss_g = -D(G(torch.randn(cfg.batch, cfg.z))).mean()
    loss_g.backward()
    opt_g.step()
    average.update(G)
    log.info('step %d  d %.4f  g %.4f  penalty %.4f  recent %.4f±%.4f', step, loss_d.item(), loss_g.item(), penalty.item(), mean(recent), pstdev(recent))
handle.remove()
print(len(norms), ['%.4f' % n for n in norms[:3]], D.body[0].weight.grad is not None)
vector = parameters_to_vector(G.parameters())
other = make_generator()
vector_to_parameters(vector.detach() * 0.5, other.parameters())
print(vector.shape, '%.5f' % vector.norm().item(), torch.allclose(parameters_to_vector(other.parameters()) * 2, vector))
buffer = io.BytesIO()
torch.save({'g': G, 'd': D.state_dict(), 'opt': opt_g, 'ema': average.shadow, 'cfg': vars(cfg), 'rng': torch.get_rng_state()}, buffer)
buffer.seek(0)
state = torch.load(buffer)
z = torch.randn(5, cfg.z)
print(torch.equal(state['g'](z), G(z)), state['cfg']['critic'], type(state['opt']).__name__, state['opt'].param_groups[0]['params'][0] is next(state['g'].parameters()))
smooth = make_generator()
with average as shadow:
    print(smooth.load_state_dict(shadow), (smooth(z) - G(z)).abs().mean() < 0.1)
with torch.no_grad():
    samples = smooth(torch.randn(64, cfg.z, generator=torch.Generator().manual_seed(0)))
    angles = torch.atan2(samples[:, 1], samples[:, 0])
    nearest = ((angles / (2 * math.pi) * cfg.modes).round().long() % cfg.modes).bincount(minlength=cfg.modes)
    print(nearest.sum().item(), samples.mean(0), samples.std(0, unbiased=False))
tight = Critic(spectral=True)
for _ in range(5):
    tight(z[:, :2])
tight.eval()
print([round(torch.linalg.svdvals(m.weight)[0].item(), 1) for m in tight.body if isinstance(m, nn.Linear)], torch.autograd.functional.jacobian(tight, z[:1, :2]).norm() < 2)
