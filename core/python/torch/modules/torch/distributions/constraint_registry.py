# SPDX-License-Identifier: Apache-2.0
# Transforms from all reals to what a constraint allows.
from torch.distributions import constraints, transforms


class ConstraintRegistry:
    def __init__(self):
        self._registry = {}

    def register(self, constraint, factory=None):
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        self._registry[constraint if isinstance(constraint, type) else type(constraint)] = factory
        return factory

    def __call__(self, constraint):
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f'Cannot transform {type(constraint).__name__} constraints')
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(constraint, factory):
    biject_to.register(constraint, factory)
    transform_to.register(constraint, factory)


def _above(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


def _below(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


def _between(constraint):
    lower, upper = constraint.lower_bound, constraint.upper_bound
    if isinstance(lower, (int, float)) and lower == 0 and isinstance(upper, (int, float)) and upper == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(lower, upper - lower)])


_both(constraints.real, lambda constraint: transforms.identity_transform)
biject_to.register(constraints._IndependentConstraint, lambda constraint: transforms.IndependentTransform(
    biject_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims))
transform_to.register(constraints._IndependentConstraint, lambda constraint: transforms.IndependentTransform(
    transform_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims))
_both(constraints._GreaterThan, _above)
_both(constraints._GreaterThanEq, _above)
_both(constraints._LessThan, _below)
_both(constraints._Interval, _between)
_both(constraints._HalfOpenInterval, _between)
biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform())
transform_to.register(constraints.positive_definite, lambda constraint: transforms.PositiveDefiniteTransform())
_both(constraints.corr_cholesky, lambda constraint: transforms.CorrCholeskyTransform())
