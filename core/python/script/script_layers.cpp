// SPDX-License-Identifier: Apache-2.0
// The layers of torch.nn in TorchScript, but for recurrent ones and transformers.
#include "core/python/script/script_library.h"

namespace loupe::python {
namespace {

constexpr LayerScript kLayers[] = {
    {.name = "Module"},
    {.name = "Identity", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return input
)py"},
    {.name = "Linear",
     .constants = "in_features out_features",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.linear(input, self.weight, self.bias)
)py"},
    {.name = "NonDynamicallyQuantizableLinear",
     .constants = "in_features out_features",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.linear(input, self.weight, self.bias)
)py"},
    {.name = "Bilinear",
     .constants = "in1_features in2_features out_features",
     .methods = R"py(def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
    return F.bilinear(input1, input2, self.weight, self.bias)
)py"},
    {.name = "Flatten", .constants = "start_dim end_dim", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return input.flatten(self.start_dim, self.end_dim)
)py"},
    {.name = "Unflatten",
     .constants = "dim unflattened_size",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return input.unflatten(self.dim, self.unflattened_size)
)py"},
    {.name = "_ConvNd",
     .constants = "stride padding dilation groups padding_mode output_padding in_channels out_channels kernel_size",
     .attributes = "bias: Optional[Tensor]"},
    {.name = "Conv1d", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    if self.padding_mode != "zeros":
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return F.conv1d(padded, self.weight, self.bias, self.stride, [0], self.dilation, self.groups)
    return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
)py"},
    {.name = "Conv2d", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    if self.padding_mode != "zeros":
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return F.conv2d(padded, self.weight, self.bias, self.stride, [0, 0], self.dilation, self.groups)
    return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
)py"},
    {.name = "Conv3d", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    if self.padding_mode != "zeros":
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return F.conv3d(padded, self.weight, self.bias, self.stride, [0, 0, 0], self.dilation, self.groups)
    return F.conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
)py"},
    {.name = "_ConvTransposeNd",
     .methods =
         R"py(def _output_padding(self, input: Tensor, output_size: Optional[List[int]], stride: List[int], padding: List[int], kernel_size: List[int],
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
)py"},
    {.name = "ConvTranspose1d",
     .methods = R"py(def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
    if self.padding_mode != "zeros":
        raise ValueError("Only `zeros` padding mode is supported for ConvTranspose1d")
    output_padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 1, self.dilation)
    return F.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)
)py"},
    {.name = "ConvTranspose2d",
     .methods = R"py(def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
    if self.padding_mode != "zeros":
        raise ValueError("Only `zeros` padding mode is supported for ConvTranspose2d")
    output_padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation)
    return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)
)py"},
    {.name = "ConvTranspose3d",
     .methods = R"py(def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
    if self.padding_mode != "zeros":
        raise ValueError("Only `zeros` padding mode is supported for ConvTranspose3d")
    output_padding = self._output_padding(input, output_size, self.stride, self.padding, self.kernel_size, 3, self.dilation)
    return F.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation)
)py"},
    {.name = "ReLU", .constants = "inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.relu(input, inplace=self.inplace)
)py"},
    {.name = "Hardsigmoid", .constants = "inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.hardsigmoid(input, inplace=self.inplace)
)py"},
    {.name = "SiLU", .constants = "inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.silu(input, inplace=self.inplace)
)py"},
    {.name = "Mish", .constants = "inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.mish(input, inplace=self.inplace)
)py"},
    {.name = "Hardswish", .constants = "inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.hardswish(input, inplace=self.inplace)
)py"},
    {.name = "SELU", .constants = "inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.selu(input, inplace=self.inplace)
)py"},
    {.name = "Threshold",
     .constants = "threshold value inplace",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.threshold(input, self.threshold, self.value, self.inplace)
)py"},
    {.name = "RReLU", .constants = "lower upper inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)
)py"},
    {.name = "Hardtanh",
     .constants = "min_val max_val inplace",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.hardtanh(input, self.min_val, self.max_val, self.inplace)
)py"},
    {.name = "Sigmoid", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return torch.sigmoid(input)
)py"},
    {.name = "Tanh", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return torch.tanh(input)
)py"},
    {.name = "ELU", .constants = "alpha inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.elu(input, self.alpha, self.inplace)
)py"},
    {.name = "CELU", .constants = "alpha inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.celu(input, self.alpha, self.inplace)
)py"},
    {.name = "GLU", .constants = "dim", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.glu(input, self.dim)
)py"},
    {.name = "GELU", .constants = "approximate", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.gelu(input, approximate=self.approximate)
)py"},
    {.name = "Hardshrink", .constants = "lambd", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.hardshrink(input, self.lambd)
)py"},
    {.name = "Softshrink", .constants = "lambd", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.softshrink(input, self.lambd)
)py"},
    {.name = "LeakyReLU",
     .constants = "inplace negative_slope",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.leaky_relu(input, self.negative_slope, self.inplace)
)py"},
    {.name = "LogSigmoid", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.logsigmoid(input)
)py"},
    {.name = "Softplus", .constants = "beta threshold", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.softplus(input, self.beta, self.threshold)
)py"},
    {.name = "PReLU", .constants = "num_parameters", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.prelu(input, self.weight)
)py"},
    {.name = "Softsign", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.softsign(input)
)py"},
    {.name = "Tanhshrink", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.tanhshrink(input)
)py"},
    {.name = "Softmin", .constants = "dim", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.softmin(input, self.dim, _stacklevel=5)
)py"},
    {.name = "Softmax", .constants = "dim", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.softmax(input, self.dim, _stacklevel=5)
)py"},
    {.name = "LogSoftmax", .constants = "dim", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.log_softmax(input, self.dim, _stacklevel=5)
)py"},
    {.name = "Softmax2d", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    assert input.dim() == 4 or input.dim() == 3, "Softmax2d requires a 3D or 4D tensor as input"
    return F.softmax(input, -3, _stacklevel=5)
)py"},
    {.name = "_DropoutNd", .constants = "p inplace"},
    {.name = "Dropout", .constants = "p inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.dropout(input, self.p, self.training, self.inplace)
)py"},
    {.name = "Dropout1d", .constants = "p inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.dropout1d(input, self.p, self.training, self.inplace)
)py"},
    {.name = "Dropout2d", .constants = "p inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.dropout2d(input, self.p, self.training, self.inplace)
)py"},
    {.name = "Dropout3d", .constants = "p inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.dropout3d(input, self.p, self.training, self.inplace)
)py"},
    {.name = "AlphaDropout", .constants = "p inplace", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.alpha_dropout(input, self.p, self.training)
)py"},
    {.name = "FeatureAlphaDropout",
     .constants = "p inplace",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.feature_alpha_dropout(input, self.p, self.training)
)py"},
    {.name = "MaxPool1d",
     .constants = "kernel_size stride padding dilation return_indices ceil_mode",
     .methods = R"py(def forward(self, input: Tensor):
    return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)
)py"},
    {.name = "MaxUnpool1d",
     .constants = "kernel_size stride padding",
     .methods =
         R"py(def forward(self, input: Tensor, indices: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
    return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)
)py"},
    {.name = "AdaptiveMaxPool1d",
     .constants = "output_size return_indices",
     .methods = R"py(def forward(self, input: Tensor):
    return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)
)py"},
    {.name = "AdaptiveAvgPool1d",
     .constants = "output_size",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.adaptive_avg_pool1d(input, self.output_size)
)py"},
    {.name = "MaxPool2d",
     .constants = "kernel_size stride padding dilation return_indices ceil_mode",
     .methods = R"py(def forward(self, input: Tensor):
    return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)
)py"},
    {.name = "MaxUnpool2d",
     .constants = "kernel_size stride padding",
     .methods =
         R"py(def forward(self, input: Tensor, indices: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
    return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)
)py"},
    {.name = "AdaptiveMaxPool2d",
     .constants = "output_size return_indices",
     .methods = R"py(def forward(self, input: Tensor):
    return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)
)py"},
    {.name = "AdaptiveAvgPool2d",
     .constants = "output_size",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.adaptive_avg_pool2d(input, self.output_size)
)py"},
    {.name = "MaxPool3d",
     .constants = "kernel_size stride padding dilation return_indices ceil_mode",
     .methods = R"py(def forward(self, input: Tensor):
    return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode, return_indices=self.return_indices)
)py"},
    {.name = "MaxUnpool3d",
     .constants = "kernel_size stride padding",
     .methods =
         R"py(def forward(self, input: Tensor, indices: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
    return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)
)py"},
    {.name = "AdaptiveMaxPool3d",
     .constants = "output_size return_indices",
     .methods = R"py(def forward(self, input: Tensor):
    return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
)py"},
    {.name = "AdaptiveAvgPool3d",
     .constants = "output_size",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.adaptive_avg_pool3d(input, self.output_size)
)py"},
    {.name = "AvgPool1d",
     .constants = "kernel_size stride padding ceil_mode count_include_pad",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)
)py"},
    {.name = "AvgPool2d",
     .constants = "kernel_size stride padding ceil_mode count_include_pad divisor_override",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)
)py"},
    {.name = "FractionalMaxPool2d",
     .constants = "kernel_size return_indices output_size output_ratio",
     .methods = R"py(def forward(self, input: Tensor):
    return F.fractional_max_pool2d(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, _random_samples=self._random_samples)
)py"},
    {.name = "AvgPool3d",
     .constants = "kernel_size stride padding ceil_mode count_include_pad divisor_override",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)
)py"},
    {.name = "FractionalMaxPool3d",
     .constants = "kernel_size return_indices output_size output_ratio",
     .methods = R"py(def forward(self, input: Tensor):
    return F.fractional_max_pool3d(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, _random_samples=self._random_samples)
)py"},
    {.name = "LPPool1d",
     .constants = "norm_type kernel_size stride ceil_mode",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
)py"},
    {.name = "LPPool2d",
     .constants = "norm_type kernel_size stride ceil_mode",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)
)py"},
    {.name = "_ReflectionPadNd", .constants = "padding", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.pad(input, self.padding, "reflect")
)py"},
    {.name = "_ReplicationPadNd", .constants = "padding", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.pad(input, self.padding, "replicate")
)py"},
    {.name = "_CircularPadNd", .constants = "padding", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.pad(input, self.padding, "circular")
)py"},
    {.name = "_ConstantPadNd", .constants = "padding value", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.pad(input, self.padding, "constant", self.value)
)py"},
    {.name = "PixelShuffle", .constants = "upscale_factor", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.pixel_shuffle(input, self.upscale_factor)
)py"},
    {.name = "PixelUnshuffle",
     .constants = "downscale_factor",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.pixel_unshuffle(input, self.downscale_factor)
)py"},
    {.name = "ChannelShuffle", .constants = "groups", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.channel_shuffle(input, self.groups)
)py"},
    {.name = "Upsample",
     .constants = "size scale_factor mode align_corners name recompute_scale_factor",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, recompute_scale_factor=self.recompute_scale_factor)
)py"},
    {.name = "UpsamplingNearest2d",
     .constants = "size scale_factor mode align_corners name recompute_scale_factor",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, recompute_scale_factor=self.recompute_scale_factor)
)py"},
    {.name = "UpsamplingBilinear2d",
     .constants = "size scale_factor mode align_corners name recompute_scale_factor",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, recompute_scale_factor=self.recompute_scale_factor)
)py"},
    {.name = "Fold",
     .constants = "output_size kernel_size dilation padding stride",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
)py"},
    {.name = "Unfold",
     .constants = "kernel_size dilation padding stride",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)
)py"},
    {.name = "Embedding",
     .constants = "num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq sparse",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)
)py"},
    {.name = "EmbeddingBag",
     .constants = "num_embeddings embedding_dim max_norm norm_type scale_grad_by_freq mode sparse include_last_offset "
                  "padding_idx",
     .methods =
         R"py(def forward(self, input: Tensor, offsets: Optional[Tensor] = None, per_sample_weights: Optional[Tensor] = None) -> Tensor:
    return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx)
)py"},
    {.name = "CosineSimilarity",
     .constants = "dim eps",
     .methods = R"py(def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
    return F.cosine_similarity(x1, x2, self.dim, self.eps)
)py"},
    {.name = "PairwiseDistance",
     .constants = "norm eps keepdim",
     .methods = R"py(def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
    return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
)py"},
    {.name = "LayerNorm",
     .constants = "normalized_shape eps elementwise_affine",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)
)py"},
    {.name = "RMSNorm",
     .constants = "normalized_shape eps elementwise_affine",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return torch.rms_norm(input, self.normalized_shape, self.weight, self.eps)
)py"},
    {.name = "GroupNorm",
     .constants = "num_groups num_channels eps affine",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
)py"},
    {.name = "LocalResponseNorm",
     .constants = "size alpha beta k",
     .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)
)py"},
    {.name = "_NormBase", .constants = "track_running_stats momentum eps num_features affine"},
    {.name = "_BatchNorm", .methods = R"py(def forward(self, input: Tensor) -> Tensor:
    self._check_input_dim(input)
    average_factor = 0.0 if self.momentum is None else self.momentum
    if self.training and self.track_running_stats:
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                average_factor = 1.0 / float(self.num_batches_tracked)
            else:
                average_factor = self.momentum
    uses_batch = True if self.training else self.running_mean is None and self.running_var is None
    return F.batch_norm(input, self.running_mean if not self.training or self.track_running_stats else None,
                        self.running_var if not self.training or self.track_running_stats else None,
                        self.weight, self.bias, uses_batch, average_factor, self.eps)
)py"},
    {.name = "SyncBatchNorm", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() < 2:
        raise ValueError("expected at least 2D input (got {}D input)".format(input.dim()))
def forward(self, input: Tensor) -> Tensor:
    self._check_input_dim(input)
    average_factor = 0.0 if self.momentum is None else self.momentum
    if self.training and self.track_running_stats:
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                average_factor = 1.0 / float(self.num_batches_tracked)
            else:
                average_factor = self.momentum
    uses_batch = True if self.training else self.running_mean is None and self.running_var is None
    return F.batch_norm(input, self.running_mean if not self.training or self.track_running_stats else None,
                        self.running_var if not self.training or self.track_running_stats else None,
                        self.weight, self.bias, uses_batch, average_factor, self.eps)
)py"},
    {.name = "BatchNorm1d", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() != 2 and input.dim() != 3:
        raise ValueError("expected 2D or 3D input (got {}D input)".format(input.dim()))
)py"},
    {.name = "InstanceNorm1d", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() not in (2, 3):
        raise ValueError("expected 2D or 3D input (got {}D input)".format(input.dim()))

def _no_batch_dim(self) -> int:
    return 2
)py"},
    {.name = "BatchNorm2d", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() != 4:
        raise ValueError("expected 4D input (got {}D input)".format(input.dim()))
)py"},
    {.name = "InstanceNorm2d", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() not in (3, 4):
        raise ValueError("expected 3D or 4D input (got {}D input)".format(input.dim()))

def _no_batch_dim(self) -> int:
    return 3
)py"},
    {.name = "BatchNorm3d", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() != 5:
        raise ValueError("expected 5D input (got {}D input)".format(input.dim()))
)py"},
    {.name = "InstanceNorm3d", .methods = R"py(def _check_input_dim(self, input: Tensor) -> None:
    if input.dim() not in (4, 5):
        raise ValueError("expected 4D or 5D input (got {}D input)".format(input.dim()))

def _no_batch_dim(self) -> int:
    return 4
)py"},
    {.name = "_InstanceNorm", .methods = R"py(def _instance(self, input: Tensor) -> Tensor:
    return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias, self.training or not self.track_running_stats, self.momentum, self.eps)

def forward(self, input: Tensor) -> Tensor:
    self._check_input_dim(input)
    if input.dim() == self._no_batch_dim():
        return self._instance(input.unsqueeze(0)).squeeze(0)
    return self._instance(input)
)py"},
    {.name = "L1Loss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.l1_loss(input, target, reduction=self.reduction)
)py"},
    {.name = "NLLLoss",
     .constants = "ignore_index reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)
)py"},
    {.name = "PoissonNLLLoss",
     .constants = "log_input full eps reduction",
     .methods = R"py(def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
    return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction)
)py"},
    {.name = "GaussianNLLLoss",
     .constants = "full eps reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
    return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)
)py"},
    {.name = "KLDivLoss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)
)py"},
    {.name = "MSELoss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.mse_loss(input, target, reduction=self.reduction)
)py"},
    {.name = "BCELoss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)
)py"},
    {.name = "BCEWithLogitsLoss", .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)
)py"},
    {.name = "HingeEmbeddingLoss",
     .constants = "margin reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)
)py"},
    {.name = "MultiLabelMarginLoss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.multilabel_margin_loss(input, target, reduction=self.reduction)
)py"},
    {.name = "SmoothL1Loss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)
)py"},
    {.name = "HuberLoss",
     .constants = "reduction delta",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)
)py"},
    {.name = "SoftMarginLoss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.soft_margin_loss(input, target, reduction=self.reduction)
)py"},
    {.name = "CrossEntropyLoss",
     .constants = "ignore_index reduction label_smoothing",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing)
)py"},
    {.name = "MultiLabelSoftMarginLoss",
     .constants = "reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)
)py"},
    {.name = "CosineEmbeddingLoss",
     .constants = "margin reduction",
     .methods = R"py(def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
    return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)
)py"},
    {.name = "MarginRankingLoss",
     .constants = "margin reduction",
     .methods = R"py(def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
    return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)
)py"},
    {.name = "MultiMarginLoss",
     .constants = "p margin reduction",
     .methods = R"py(def forward(self, input: Tensor, target: Tensor) -> Tensor:
    return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction)
)py"},
    {.name = "TripletMarginLoss",
     .constants = "margin p eps swap reduction",
     .methods = R"py(def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
    return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap, reduction=self.reduction)
)py"},
    {.name = "CTCLoss",
     .constants = "blank reduction",
     .methods =
         R"py(def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
)py"},
    {.name = "Sequential", .methods = R"py(def forward(self, input):
    for module in self:
        input = module(input)
    return input
)py"},
    {.name = "ModuleList"},
    {.name = "ModuleDict"},
    {.name = "ParameterList"},
    {.name = "ParameterDict"},
};

}  // namespace

std::span<const LayerScript> plain_layer_scripts() { return kLayers; }

}  // namespace loupe::python
