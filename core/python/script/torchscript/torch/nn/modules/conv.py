# SPDX-License-Identifier: Apache-2.0
class Conv1d:
    def forward(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv1d(padded, self.weight, self.bias, self.stride, [0], self.dilation, self.groups)
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

class Conv2d:
    def forward(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(padded, self.weight, self.bias, self.stride, [0, 0], self.dilation, self.groups)
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

class Conv3d:
    def forward(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv3d(padded, self.weight, self.bias, self.stride, [0, 0, 0], self.dilation, self.groups)
        return F.conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

class _ConvTransposeNd:
    def _output_padding(self, input: Tensor, output_size: Optional[List[int]], stride: List[int], padding: List[int], kernel_size: List[int],
                        num_spatial_dims: int, dilation: List[int]) -> List[int]:
        if output_size is None:
            return torch.jit.annotate(List[int], self.output_padding)
        skipped = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) == skipped + num_spatial_dims:
            output_size = output_size[skipped:]
        if len(output_size) != num_spatial_dims:
            raise ValueError("ConvTranspose{}D: for {}D input, output_size must have {} or {} elements (got {})".format(num_spatial_dims, input.dim(), num_spatial_dims, skipped + num_spatial_dims, len(output_size)))
        smallest = torch.jit.annotate(List[int], [])
        largest = torch.jit.annotate(List[int], [])
        for d in range(num_spatial_dims):
            size = (input.size(d + skipped) - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel_size[d] - 1) + 1
            smallest.append(size)
            largest.append(size + stride[d] - 1)
        out = torch.jit.annotate(List[int], [])
        for d in range(num_spatial_dims):
            if output_size[d] < smallest[d] or output_size[d] > largest[d]:
                raise ValueError("requested an output size of {}, but valid sizes range from {} to {} (for an input of {})".format(output_size, smallest, largest, input.size()[2:]))
            out.append(output_size[d] - smallest[d])
        return out

class ConvTranspose1d:
    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        if self.padding_mode != "zeros":
            raise ValueError("Only `zeros` padding mode is supported for ConvTranspose1d")
        output_padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 1, self.dilation)
        return F.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)

class ConvTranspose2d:
    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        if self.padding_mode != "zeros":
            raise ValueError("Only `zeros` padding mode is supported for ConvTranspose2d")
        output_padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation)
        return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)

class ConvTranspose3d:
    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        if self.padding_mode != "zeros":
            raise ValueError("Only `zeros` padding mode is supported for ConvTranspose3d")
        output_padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 3, self.dilation)
        return F.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)
