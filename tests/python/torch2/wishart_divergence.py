import torch
from torch.distributions import Wishart, kl_divergence

a = torch.tensor([[2.0, 0.3], [0.3, 1.0]])
b = torch.tensor([[1.0, -0.2], [-0.2, 1.5]])
p, q = Wishart(torch.tensor(3.5), covariance_matrix=a), Wishart(torch.tensor(5.0), covariance_matrix=b)
print(round(kl_divergence(p, q).item(), 4), round(kl_divergence(q, p).item(), 4), round(abs(kl_divergence(p, p).item()), 4))
batch = Wishart(torch.tensor([4.0, 6.0]), scale_tril=torch.stack([torch.linalg.cholesky(a), torch.linalg.cholesky(b)]))
print([round(each, 3) for each in batch.entropy().tolist()])
try:
    kl_divergence(torch.distributions.Normal(0.0, 1.0), torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)))
except NotImplementedError as error:
    print(type(error).__name__)
