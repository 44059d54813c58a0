# SPDX-License-Identifier: Apache-2.0
# What the same seed draws: every random function at sizes below and above those that are drawn in blocks of 16.
import torch
from torch import nn
import torch.nn.functional as F


# Enough of a tensor to tell its draws from others: its first and last elements, and a sum that knows the order.
def seen(t):
    if not isinstance(t, torch.Tensor):
        return str(t)
    flat = t.detach().reshape(-1)
    if flat.dtype == torch.bool:
        flat = flat.long()
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(-1)
    flat = flat.double()
    ends = ['%.3g' % x for x in flat[:3].tolist() + flat[-2:].tolist()]
    weights = torch.arange(1, flat.numel() + 1, dtype=torch.float64)
    return '%s %s %s sum %.4g' % (str(t.dtype)[6:], tuple(t.shape), ' '.join(ends), (flat * weights).sum().item())


def drawn(name, draw):
    torch.manual_seed(7)
    try:
        first = seen(draw())
        after = '%.5f' % torch.rand(1).item()
    except Exception as error:
        print(name, '|', type(error).__name__ + ':', str(error).strip().split('\n')[0])
        return
    print(name, '|', first, '| then', after)


SIZES = (1, 7, 15, 16, 17, 40, (3, 5), (4, 33), 1000)
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)

print('# rand and randn')
for dtype in FLOATS + (torch.complex64, torch.complex128):
    for size in SIZES:
        drawn('rand %s %s' % (size, dtype), lambda: torch.rand(size, dtype=dtype))
        drawn('randn %s %s' % (size, dtype), lambda: torch.randn(size, dtype=dtype))
for size in (5, 16, 40):
    drawn('rand_like %s' % size, lambda: torch.rand_like(torch.ones(size)))
    drawn('randn_like %s' % size, lambda: torch.randn_like(torch.ones(size).double()))
    drawn('randint_like %s' % size, lambda: torch.randint_like(torch.ones(size), 3, 9))
for dtype in FLOATS + INTEGERS + (torch.bool,):
    drawn('randint %s' % dtype, lambda: torch.randint(0, 2, (20,), dtype=dtype))
drawn('randint wide', lambda: torch.randint(-2 ** 40, 2 ** 40, (20,)))
drawn('randint high', lambda: torch.randint(10, (3, 4)))
drawn('randint 2**32', lambda: torch.randint(0, 2 ** 32, (6,)))
drawn('randint 2**31', lambda: torch.randint(0, 2 ** 31 + 5, (6,)))

print('# randperm')
for n in (0, 1, 2, 10, 100, 1000, 40000, 70000):
    drawn('randperm %d' % n, lambda: torch.randperm(n))
for dtype in (torch.int32, torch.int16, torch.uint8, torch.int8, torch.float32, torch.float64, torch.float16):
    drawn('randperm %s' % dtype, lambda: torch.randperm(100, dtype=dtype))

print('# filling')
for dtype in FLOATS:
    for size in (5, 16, 37, (4, 33)):
        def made():
            return torch.zeros(size, dtype=dtype)
        kind = '%s %s' % (size, dtype)
        drawn('normal_ ' + kind, lambda: made().normal_(2, 3))
        drawn('uniform_ ' + kind, lambda: made().uniform_(-2, 3))
        drawn('exponential_ ' + kind, lambda: made().exponential_(1.5))
        drawn('geometric_ ' + kind, lambda: made().geometric_(0.3))
        drawn('cauchy_ ' + kind, lambda: made().cauchy_(1, 2))
        drawn('log_normal_ ' + kind, lambda: made().log_normal_(0.5, 0.25))
        drawn('random_ ' + kind, lambda: made().random_())
        drawn('random_ to ' + kind, lambda: made().random_(9))
        drawn('random_ from to ' + kind, lambda: made().random_(-5, 9))
        drawn('bernoulli_ ' + kind, lambda: made().bernoulli_(0.3))
        drawn('bernoulli_ tensor ' + kind, lambda: made().bernoulli_(torch.full((1,), 0.4)))
        drawn('bernoulli ' + kind, lambda: torch.bernoulli(made() + 0.4))
        drawn('poisson ' + kind, lambda: torch.poisson(made() + 4))
for dtype in INTEGERS + (torch.bool,):
    drawn('random_ %s' % dtype, lambda: torch.zeros(20, dtype=dtype).random_())
    drawn('random_ 5 %s' % dtype, lambda: torch.zeros(20, dtype=dtype).random_(1))
    drawn('bernoulli_ %s' % dtype, lambda: torch.zeros(20, dtype=dtype).bernoulli_(0.3))
    drawn('geometric_ %s' % dtype, lambda: torch.zeros(20, dtype=dtype).geometric_(0.3))
drawn('strided', lambda: torch.zeros(6, 8).t().normal_())
drawn('strided uniform', lambda: torch.zeros(6, 8)[:, ::2].uniform_())
drawn('strided exponential', lambda: torch.zeros(6, 8).t().exponential_())
drawn('strided bernoulli', lambda: torch.zeros(6, 8).t().bernoulli_(0.5))
drawn('normal', lambda: torch.normal(torch.arange(5.0), torch.ones(5)))
drawn('normal 20', lambda: torch.normal(torch.arange(20.0), torch.ones(20)))
drawn('normal mean', lambda: torch.normal(torch.arange(20.0), 2.0))
drawn('normal std', lambda: torch.normal(1.0, torch.arange(1.0, 21.0)))
drawn('normal size', lambda: torch.normal(1.0, 2.0, (3, 9)))
drawn('binomial', lambda: torch.binomial(torch.full((20,), 10.0), torch.full((20,), 0.3)))
drawn('binomial large', lambda: torch.binomial(torch.full((20,), 100.0), torch.full((20,), 0.5)))
drawn('standard_gamma', lambda: torch._standard_gamma(torch.linspace(0.1, 5, 20)))
drawn('dirichlet', lambda: torch._sample_dirichlet(torch.linspace(0.5, 3, 12).view(3, 4)))

print('# multinomial')
for dtype in FLOATS:
    drawn('multinomial %s' % dtype, lambda: torch.multinomial(torch.arange(1.0, 9.0).to(dtype), 3))
    drawn('multinomial replacement %s' % dtype, lambda: torch.multinomial(torch.arange(1.0, 9.0).to(dtype), 12, replacement=True))
    drawn('multinomial rows %s' % dtype, lambda: torch.multinomial(torch.arange(1.0, 25.0).view(3, 8).to(dtype), 4))
    drawn('multinomial one %s' % dtype, lambda: torch.multinomial(torch.arange(1.0, 25.0).view(3, 8).to(dtype), 1))
    drawn('multinomial one replacement %s' % dtype, lambda: torch.multinomial(torch.arange(1.0, 25.0).view(3, 8).to(dtype), 1, True))

print('# dropout and activations')
for size in (5, 16, (4, 33)):
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        def ones():
            return torch.ones(size, dtype=dtype)
        kind = '%s %s' % (size, dtype)
        drawn('dropout ' + kind, lambda: F.dropout(ones(), 0.3))
        drawn('alpha_dropout ' + kind, lambda: F.alpha_dropout(ones(), 0.3, training=True))
        drawn('rrelu ' + kind, lambda: F.rrelu(-ones(), training=True))
        drawn('gumbel_softmax ' + kind, lambda: F.gumbel_softmax(ones()))
drawn('dropout grad', lambda: F.dropout(torch.ones(20, requires_grad=True), 0.5))
drawn('dropout1d', lambda: F.dropout1d(torch.ones(2, 5, 3), 0.5))
drawn('dropout2d', lambda: F.dropout2d(torch.ones(2, 5, 3, 3), 0.5))
drawn('dropout3d', lambda: F.dropout3d(torch.ones(2, 5, 2, 2, 2), 0.5))
drawn('feature_alpha_dropout', lambda: F.feature_alpha_dropout(torch.ones(2, 5, 3), 0.5, training=True))
drawn('dropout in place', lambda: nn.Dropout(0.4, inplace=True)(torch.ones(30)))
drawn('fractional_max_pool2d', lambda: F.fractional_max_pool2d(torch.arange(64.0).view(1, 1, 8, 8), 2, output_size=3))
drawn('sdpa', lambda: F.scaled_dot_product_attention(torch.ones(1, 2, 4, 4), torch.ones(1, 2, 4, 4), torch.ones(1, 2, 4, 4), dropout_p=0.5))
drawn('gumbel hard', lambda: F.gumbel_softmax(torch.arange(12.0).view(3, 4), hard=True))

print('# initialisers')
for shape in ((3, 4), (5, 7), (6, 3, 3, 3)):
    def weight():
        return torch.zeros(shape)
    for name in ('uniform_', 'normal_', 'xavier_uniform_', 'xavier_normal_', 'kaiming_uniform_', 'kaiming_normal_', 'orthogonal_', 'trunc_normal_'):
        drawn('%s %s' % (name, shape), lambda: getattr(nn.init, name)(weight()))
    drawn('kaiming fan_out %s' % (shape,), lambda: nn.init.kaiming_normal_(weight(), mode='fan_out', nonlinearity='relu'))
    drawn('trunc_normal_ cut %s' % (shape,), lambda: nn.init.trunc_normal_(weight(), std=0.02, a=-0.04, b=0.04))
    drawn('trunc_normal_ far %s' % (shape,), lambda: nn.init.trunc_normal_(weight(), mean=3.0, std=0.5))
drawn('sparse_', lambda: nn.init.sparse_(torch.zeros(10, 4), 0.3))
drawn('dirac_', lambda: nn.init.dirac_(torch.zeros(4, 2, 3), 2))
drawn('orthogonal_ tall', lambda: nn.init.orthogonal_(torch.zeros(9, 4), gain=2))
drawn('trunc_normal_ double', lambda: nn.init.trunc_normal_(torch.zeros(50).double()))
drawn('trunc_normal_ generator', lambda: nn.init.trunc_normal_(torch.zeros(50), generator=torch.Generator().manual_seed(3)))
for layer in (lambda: nn.Linear(5, 7).weight, lambda: nn.Linear(5, 7).bias, lambda: nn.Conv2d(3, 4, 3).weight, lambda: nn.Conv1d(3, 4, 3).bias,
              lambda: nn.ConvTranspose2d(3, 4, 3).weight, lambda: nn.Embedding(5, 4).weight, lambda: nn.LSTM(3, 4).weight_hh_l0,
              lambda: nn.GRUCell(3, 4).bias_ih, lambda: nn.MultiheadAttention(4, 2).in_proj_weight, lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5).v_proj_weight,
              lambda: nn.Bilinear(3, 4, 5).weight, lambda: nn.TransformerEncoderLayer(4, 2, 8).linear1.weight, lambda: nn.EmbeddingBag(5, 4).weight,
              lambda: nn.Transformer(4, 2, 1, 1, 8).decoder.layers[0].linear2.weight, lambda: nn.PReLU(3).weight,
              lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(4, 5)).weight, lambda: nn.utils.spectral_norm(nn.Linear(4, 5)).weight_u,
              lambda: nn.utils.parametrizations.orthogonal(nn.Linear(4, 5)).weight, lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10]).head.weight):
    drawn('layer', layer)

print('# distributions')
D = torch.distributions
for name, make in (
        ('Normal', lambda: D.Normal(1.0, 2.0)), ('Normal tensor', lambda: D.Normal(torch.zeros(3), torch.ones(3))), ('Uniform', lambda: D.Uniform(-1.0, 2.0)),
        ('Bernoulli', lambda: D.Bernoulli(0.3)), ('Bernoulli logits', lambda: D.Bernoulli(logits=torch.zeros(3))), ('Categorical', lambda: D.Categorical(torch.arange(1.0, 5.0))),
        ('Categorical rows', lambda: D.Categorical(torch.arange(1.0, 9.0).view(2, 4))), ('OneHotCategorical', lambda: D.OneHotCategorical(torch.arange(1.0, 5.0))),
        ('Exponential', lambda: D.Exponential(2.0)), ('Gamma', lambda: D.Gamma(2.0, 3.0)), ('Beta', lambda: D.Beta(2.0, 3.0)), ('Dirichlet', lambda: D.Dirichlet(torch.arange(1.0, 5.0))),
        ('Laplace', lambda: D.Laplace(0.0, 1.0)), ('Gumbel', lambda: D.Gumbel(0.0, 1.0)), ('Cauchy', lambda: D.Cauchy(0.0, 1.0)), ('HalfNormal', lambda: D.HalfNormal(1.0)),
        ('HalfCauchy', lambda: D.HalfCauchy(1.0)), ('LogNormal', lambda: D.LogNormal(0.0, 1.0)), ('StudentT', lambda: D.StudentT(4.0)), ('Chi2', lambda: D.Chi2(3.0)),
        ('Poisson', lambda: D.Poisson(4.0)), ('Geometric', lambda: D.Geometric(0.3)), ('Binomial', lambda: D.Binomial(10, 0.4)), ('NegativeBinomial', lambda: D.NegativeBinomial(5.0, 0.4)),
        ('Multinomial', lambda: D.Multinomial(5, torch.arange(1.0, 5.0))), ('MultivariateNormal', lambda: D.MultivariateNormal(torch.zeros(3), torch.eye(3) * 2)),
        ('LowRank', lambda: D.LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(3))), ('Pareto', lambda: D.Pareto(1.0, 2.0)), ('Weibull', lambda: D.Weibull(1.0, 2.0)),
        ('VonMises', lambda: D.VonMises(0.0, 4.0)), ('Kumaraswamy', lambda: D.Kumaraswamy(2.0, 3.0)), ('FisherSnedecor', lambda: D.FisherSnedecor(3.0, 4.0)),
        ('RelaxedBernoulli', lambda: D.RelaxedBernoulli(torch.tensor(0.5), probs=torch.tensor([0.3, 0.6]))), ('RelaxedOneHot', lambda: D.RelaxedOneHotCategorical(torch.tensor(0.5), torch.arange(1.0, 5.0))),
        ('ContinuousBernoulli', lambda: D.ContinuousBernoulli(torch.tensor([0.3, 0.6]))), ('LogisticNormal', lambda: D.LogisticNormal(torch.zeros(3), torch.ones(3))),
        ('LKJCholesky', lambda: D.LKJCholesky(3, 0.5)), ('Wishart', lambda: D.Wishart(torch.tensor(4.0), torch.eye(3))), ('InverseGamma', lambda: D.InverseGamma(2.0, 3.0)),
        ('MixtureSameFamily', lambda: D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.arange(3.0), torch.ones(3)))),
        ('Transformed', lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [D.transforms.ExpTransform()]))):
    drawn(name, lambda: make().sample())
    drawn(name + ' 20', lambda: make().sample((20,)))

print('# generators')


def fork():
    with torch.random.fork_rng():
        torch.rand(5)
    return torch.rand(3)


def fork_devices():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
    return torch.rand(3)


def state():
    kept = torch.get_rng_state()
    one = torch.randn(5)
    torch.set_rng_state(kept)
    return torch.cat([one, torch.randn(5)])


def odd_normals():
    one = torch.zeros(1).normal_()
    kept = torch.random.get_rng_state()
    two = torch.zeros(1).normal_()
    torch.random.set_rng_state(kept)
    return torch.cat([one, two, torch.zeros(1).normal_()])


def own(draw):
    generator = torch.Generator()
    generator.manual_seed(11)
    return draw(generator)


drawn('fork', fork)
drawn('fork devices', fork_devices)
drawn('state', state)
drawn('odd normals', odd_normals)
drawn('state bytes', lambda: torch.get_rng_state())
drawn('own rand', lambda: own(lambda g: torch.rand(5, generator=g)))
drawn('own randn', lambda: own(lambda g: torch.randn(20, generator=g)))
drawn('own randint', lambda: own(lambda g: torch.randint(9, (5,), generator=g)))
drawn('own randperm', lambda: own(lambda g: torch.randperm(9, generator=g)))
drawn('own multinomial', lambda: own(lambda g: torch.multinomial(torch.ones(9), 4, generator=g)))
drawn('own bernoulli', lambda: own(lambda g: torch.bernoulli(torch.full((9,), 0.5), generator=g)))
drawn('own normal', lambda: own(lambda g: torch.normal(0.0, 1.0, (5,), generator=g)))
drawn('own normal_', lambda: own(lambda g: torch.zeros(9).normal_(generator=g)))
drawn('own exponential_', lambda: own(lambda g: torch.zeros(9).exponential_(generator=g)))
drawn('own seed', lambda: own(lambda g: g.initial_seed()))
drawn('own state', lambda: own(lambda g: g.get_state()))
drawn('own clone', lambda: own(lambda g: torch.rand(3, generator=g.clone_state())))
drawn('own device', lambda: own(lambda g: g.device))
drawn('own set_state', lambda: own(lambda g: torch.rand(3, generator=torch.Generator().set_state(g.get_state()))))
drawn('default', lambda: torch.rand(3, generator=torch.default_generator))
drawn('initial_seed', lambda: torch.initial_seed())
drawn('negative seed', lambda: torch.manual_seed(-5) and torch.rand(3))
drawn('large seed', lambda: torch.manual_seed(2 ** 63 + 5) and torch.rand(3))
drawn('kaiming generator', lambda: own(lambda g: nn.init.kaiming_normal_(torch.zeros(5, 5), generator=g)))
drawn('random_split', lambda: torch.tensor(torch.utils.data.random_split(range(20), [12, 8])[0].indices))
drawn('loader', lambda: torch.cat(list(torch.utils.data.DataLoader(torch.arange(20), batch_size=6, shuffle=True))))
drawn('loader generator', lambda: torch.cat(list(torch.utils.data.DataLoader(torch.arange(20), batch_size=6, shuffle=True, generator=torch.Generator().manual_seed(5)))))
drawn('weighted sampler', lambda: torch.tensor(list(torch.utils.data.WeightedRandomSampler([1.0, 2.0, 3.0], 10))))
drawn('random sampler', lambda: torch.tensor(list(torch.utils.data.RandomSampler(range(5), replacement=True, num_samples=40))))
