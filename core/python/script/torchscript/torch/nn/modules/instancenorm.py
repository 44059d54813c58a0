# SPDX-License-Identifier: Apache-2.0
class _InstanceNorm:
    def _instance(self, input: Tensor) -> Tensor:
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias, self.training or not self.track_running_stats, self.momentum, self.eps)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        if input.dim() == self._no_batch_dim():
            return self._instance(input.unsqueeze(0)).squeeze(0)
        return self._instance(input)

class InstanceNorm1d:
    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError("expected 2D or 3D input (got {}D input)".format(input.dim()))

    def _no_batch_dim(self) -> int:
        return 2

class InstanceNorm2d:
    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (3, 4):
            raise ValueError("expected 3D or 4D input (got {}D input)".format(input.dim()))

    def _no_batch_dim(self) -> int:
        return 3

class InstanceNorm3d:
    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (4, 5):
            raise ValueError("expected 4D or 5D input (got {}D input)".format(input.dim()))

    def _no_batch_dim(self) -> int:
        return 4
