import torch
from torch import distributions as D
from torch.distributions import constraints, transforms

T = torch.tensor
S = T([[2.0, 0.5], [0.5, 1.0]])
all_of_them = [
    D.Exponential(T([0.5, 2.0])), D.Laplace(T([0.0, 1.0]), T([1.0, 2.0])), D.Cauchy(T([0.0, 1.0]), T([1.0, 2.0])), D.Gamma(T([0.5, 2.0]), T([1.0, 2.0])),
    D.Chi2(T([1.0, 3.0])), D.StudentT(T([3.0, 5.0])), D.FisherSnedecor(T([3.0, 5.0]), T([5.0, 6.0])), D.ContinuousBernoulli(T([0.2, 0.5])),
    D.VonMises(T([0.0, 1.0]), T([1.0, 4.0])), D.Geometric(T([0.2, 0.7])), D.Poisson(T([2.0, 5.0])), D.Binomial(5, T([0.2, 0.7])),
    D.NegativeBinomial(T([3.0, 4.0]), T([0.2, 0.7])), D.Multinomial(6, T([0.2, 0.3, 0.5])), D.OneHotCategorical(T([0.2, 0.3, 0.5])),
    D.LogNormal(T([0.0, 1.0]), T([1.0, 0.5])), D.HalfNormal(T([1.0, 2.0])), D.HalfCauchy(T([1.0, 2.0])), D.InverseGamma(T([3.0, 4.0]), T([1.0, 2.0])),
    D.Gumbel(T([0.0, 1.0]), T([1.0, 2.0])), D.Pareto(T([1.0, 2.0]), T([3.0, 4.0])), D.Weibull(T([1.0, 2.0]), T([3.0, 4.0])),
    D.Kumaraswamy(T([1.0, 2.0]), T([3.0, 4.0])), D.RelaxedBernoulli(T(0.5), T([0.2, 0.7])), D.RelaxedOneHotCategorical(T(0.5), T([0.2, 0.3, 0.5])),
    D.MixtureSameFamily(D.Categorical(T([0.3, 0.7])), D.Normal(T([0.0, 1.0]), T([1.0, 2.0]))), D.Dirichlet(T([0.5, 2.0, 3.0])),
    D.Beta(T([0.5, 2.0]), T([1.0, 3.0])), D.MultivariateNormal(T([0.0, 1.0]), S), D.LKJCholesky(3, 1.5),
    D.LowRankMultivariateNormal(T([0.0, 1.0, 2.0]), T([[1.0], [0.5], [0.2]]), T([1.0, 0.5, 2.0])),
    D.TransformedDistribution(D.Normal(T([0.0, 1.0]), 1.0), [D.TanhTransform(), D.AffineTransform(2.0, 3.0)])]
for d in all_of_them:
    torch.manual_seed(0)
    x = d.sample()
    print(type(d).__name__, d.batch_shape, d.event_shape, d.has_rsample, x, d.log_prob(x))
    for ask in ('mean', 'variance', 'entropy'):
        try:
            value = getattr(d, ask)
            print('  ', ask, value() if callable(value) else value)
        except NotImplementedError:
            print('  ', ask, 'not there')
print(D.kl_divergence(D.Gamma(T(2.0), T(1.0)), D.Gamma(T(3.0), T(2.0))), D.kl_divergence(D.Beta(T(2.0), T(1.0)), D.Beta(T(3.0), T(2.0))))
print(D.kl_divergence(D.MultivariateNormal(T([0.0, 1.0]), S), D.MultivariateNormal(torch.zeros(2), torch.eye(2))), D.kl_divergence(D.Normal(0.0, 1.0), D.Laplace(0.0, 1.0)))
print(D.transform_to(constraints.positive)(T(-1.0)), D.biject_to(constraints.unit_interval)(T(0.5)), D.transform_to(constraints.simplex)(T([0.1, 0.2])))
print(constraints.interval(0.0, 2.0), constraints.real_vector, transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(0.0, 2.0)]).inv)
mu = torch.zeros(2, requires_grad=True)
D.Beta(torch.exp(mu), T([2.0, 1.0])).rsample().sum().backward()
print(D.Normal(0.0, 1.0).expand((2, 3)).sample().shape, mu.grad.shape)
