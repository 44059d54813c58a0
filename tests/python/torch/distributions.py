import torch
from torch.distributions import Categorical, Bernoulli, Uniform, Normal, Independent, kl_divergence
import torch.distributions.normal

torch.manual_seed(543)
m = Categorical(logits=torch.tensor([[0.1, 0.2, 0.7], [1., 1., 1.]]))
print(m, m.probs, m.entropy(), m.log_prob(torch.tensor([0, 2])))
print(m.sample((2,)).shape, m.batch_shape, m.event_shape, m.param_shape)
n = Normal(0.0, 2.0)
print(n, n.mean, n.stddev, n.variance, n.log_prob(torch.tensor(1.0)), n.cdf(torch.tensor(0.5)), n.entropy(), n.sample().shape)
b = Bernoulli(torch.tensor([0.3, 0.8]))
print(b, b.sample(), b.log_prob(torch.tensor([1., 0.])), b.entropy(), b.mean, b.variance, b.logits)
u = Uniform(torch.zeros(2), torch.tensor([1., 3.]))
print(u, u.sample().shape, u.log_prob(torch.tensor([0.5, 0.5])), u.mean, u.variance, u.entropy(), u.rsample((3,)).shape)
print(kl_divergence(m, Categorical(torch.tensor([0.2, 0.3, 0.5]))), kl_divergence(b, Bernoulli(0.5)), kl_divergence(n, Normal(1., 1.)))
print(kl_divergence(u, Uniform(-1., 4.)))
for bad in (lambda: Normal(0.0, -1.0), lambda: Categorical(torch.tensor([-0.5, 0.5])), lambda: n.log_prob('a'), lambda: Categorical(), lambda: Bernoulli(0.5, 0.5)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
q = Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)
print(q, q.batch_shape, q.event_shape, q.log_prob(torch.ones(2, 3)), kl_divergence(q, Independent(Normal(torch.ones(2, 3), 2.0), 1)))
mu = torch.tensor([0.5, -0.5], requires_grad=True)
z = torch.distributions.Normal(mu, 1.0).rsample((4,))
(z ** 2).sum().backward()
print(z, mu.grad)
print(torch.distributions.normal.Normal is Normal)
