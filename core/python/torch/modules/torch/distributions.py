# SPDX-License-Identifier: Apache-2.0
# torch.distributions. They draw where PyTorch's draw.
from torch.distributions import constraints, transforms
from torch.distributions.distribution import Distribution, ExponentialFamily
from torch.distributions._continuous import (Cauchy, Chi2, ContinuousBernoulli, Exponential, FisherSnedecor, Gamma, GeneralizedPareto, Laplace,
                                             Normal, StudentT, Uniform, VonMises)
from torch.distributions._discrete import (Bernoulli, Binomial, Categorical, Geometric, Multinomial, NegativeBinomial, OneHotCategorical,
                                           OneHotCategoricalStraightThrough, Poisson)
from torch.distributions._transformed import (Gumbel, HalfCauchy, HalfNormal, Independent, InverseGamma, Kumaraswamy, LogisticNormal,
                                              LogNormal, MixtureSameFamily, Pareto, RelaxedBernoulli, RelaxedOneHotCategorical,
                                              TransformedDistribution, Weibull)
from torch.distributions._multivariate import Beta, Dirichlet, LKJCholesky, LowRankMultivariateNormal, MultivariateNormal, Wishart
from torch.distributions.constraint_registry import biject_to, transform_to
from torch.distributions.kl import kl_divergence, register_kl
from torch.distributions.transforms import (AbsTransform, AffineTransform, CatTransform, ComposeTransform, CorrCholeskyTransform,
                                            CumulativeDistributionTransform, ExpTransform, IndependentTransform, LowerCholeskyTransform,
                                            PositiveDefiniteTransform, PowerTransform, ReshapeTransform, SigmoidTransform, SoftmaxTransform,
                                            SoftplusTransform, StackTransform, StickBreakingTransform, TanhTransform, Transform,
                                            identity_transform)
