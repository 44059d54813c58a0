// SPDX-License-Identifier: Apache-2.0
// Operators that PyTorch calls internally and that occur in traced graphs: halves of others, gradients by name, and
// calls with their arguments in another form.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_form.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/family.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

// ---- convolution

// Gradients of convolution_backward for grad_output, weight and input.
fn::ThreeTensors convolution_double_backward(const Tensor& gg_input, const Tensor& gg_weight, const Tensor& gg_bias,
                                             const Tensor& grad_output, const Tensor& weight, const Tensor& self,
                                             const Dims& stride, const Dims& padding, const Dims& dilation,
                                             bool transposed, const Dims& output_padding, std::int64_t groups,
                                             const std::vector<bool>& output_mask) {
    require(output_mask.size() == 3, "output_mask must have 3 elements, but got ", output_mask.size());
    const IValue bias_sizes = gg_bias.defined() ? IValue(to_dims(gg_bias.sizes())) : IValue();
    const IValue wanted = nn_ops::bool_list({gg_input.defined(), gg_weight.defined(), gg_bias.defined()});
    const auto backward = [&](const TensorList& in) -> TensorList {
        const auto [of_input, of_weight, of_bias] = fn::convolution_backward(
            in[0], in[2], in[1], bias_sizes, stride, padding, dilation, transposed, output_padding, groups, wanted);
        return {of_input, of_weight, of_bias};
    };
    TensorList found = composed_gradients(backward, {grad_output, weight, self}, {gg_input, gg_weight, gg_bias});
    for (std::size_t i = 0; i < 3; ++i) {
        if (!output_mask[i]) found[i] = Tensor();
    }
    // In PyTorch's order: grad_output, input, weight.
    return {found[0], found[2], found[1]};
}

fn::ThreeTensors slow_conv2d_backward(const Tensor& grad_output, const Tensor& self, const Tensor& weight, const Dims&,
                                      const Dims& stride, const Dims& padding, const IValue& output_mask) {
    return fn::convolution_backward(grad_output, self, weight, Dims{weight.size(0)}, stride, padding, Dims{1, 1}, false,
                                    Dims{0, 0}, 1, output_mask);
}

// ---- batch norm

// The batch's mean and biased variance; the running statistics take their share.
fn::TwoTensors batch_norm_update_stats(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                                       double momentum) {
    require(input.dim() >= 2, "batch_norm_update_stats: expected input of at least 2 dimensions, but got ",
            shape_list_text(input.sizes()));
    static const OperatorHandle<> variance("aten::var.correction");
    Dims dims;
    for (std::int64_t d = 0; d < input.dim(); ++d) {
        if (d != 1) dims.push_back(d);
    }
    const Tensor mean = fn::mean_dim(input, dims, false);
    const auto update = [momentum](const Tensor& running, const Tensor& now) {
        if (running.defined()) fn::copy_(running, running * (1 - momentum) + now * momentum);
    };
    update(running_mean, mean);
    update(running_var, variance(input, dims, std::int64_t{1}, false));
    return {mean, variance(input, dims, std::int64_t{0}, false)};
}

// ---- embedding_bag

// The bag of each index, from where the bags start.
Tensor bags_of(const Tensor& indices, const Tensor& offsets) {
    static const OperatorHandle<> bucketize("aten::bucketize.Tensor");
    static const OperatorHandle<> arange("aten::arange");
    const Tensor places =
        arange(indices.numel(), static_cast<std::int64_t>(ScalarType::Int64), IValue(), IValue(), IValue());
    return fn::sub_scalar(
        bucketize(places, fn::to_dtype(offsets, static_cast<std::int64_t>(ScalarType::Int64)), false, true), Scalar(1),
        Scalar(1));
}

enum class BagMode : std::int64_t { Sum, Mean, Max };

Tensor embedding_bag_dense_backward(const Tensor& grad, const Tensor& indices, const Tensor& offset2bag,
                                    const Tensor& bag_size, const Tensor& maximum_indices, std::int64_t num_weights,
                                    bool scale_grad_by_freq, std::int64_t mode, const Tensor& per_sample_weights,
                                    std::int64_t padding_idx) {
    require(grad.dim() == 2, "embedding_bag: expected a 2-D gradient, but got ", shape_list_text(grad.sizes()));
    require(num_weights >= 0, "embedding_bag: expected num_weights >= 0, but got ", num_weights);
    if (static_cast<BagMode>(mode) == BagMode::Max) {
        const Tensor used = fn::to_dtype(fn::gt_scalar(bag_size, Scalar(0)), static_cast<std::int64_t>(grad.dtype()));
        return fn::scatter_add(fn::new_zeros(grad, Dims{num_weights, grad.size(1)}), 0, maximum_indices,
                               grad * fn::unsqueeze(used, 1));
    }
    Tensor rows = fn::index_select(grad, 0, offset2bag);
    if (static_cast<BagMode>(mode) == BagMode::Mean) {
        const Tensor sizes =
            fn::to_dtype(fn::index_select(bag_size, 0, offset2bag), static_cast<std::int64_t>(grad.dtype()));
        rows = rows / fn::unsqueeze(fn::clamp(sizes, Scalar(1), IValue()), 1);
    }
    if (per_sample_weights.defined()) rows = rows * fn::unsqueeze(per_sample_weights, 1);
    return fn::embedding_dense_backward(rows, indices, num_weights, padding_idx, scale_grad_by_freq);
}
Tensor embedding_bag_backward(const Tensor& grad, const Tensor& indices, const Tensor& offsets,
                              const Tensor& offset2bag, const Tensor& bag_size, const Tensor& maximum_indices,
                              std::int64_t num_weights, bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                              const Tensor& per_sample_weights, std::int64_t padding_idx) {
    require(!sparse, "embedding_bag: sparse gradients are not supported");
    const Tensor bags = offset2bag.numel() == 0 && indices.numel() > 0 ? bags_of(indices, offsets) : offset2bag;
    return embedding_bag_dense_backward(grad, indices, bags, bag_size, maximum_indices, num_weights, scale_grad_by_freq,
                                        mode, per_sample_weights, padding_idx);
}
Tensor embedding_bag_per_sample_weights_backward(const Tensor& grad, const Tensor& weight, const Tensor& indices,
                                                 const Tensor& offsets, const Tensor& offset2bag, std::int64_t mode,
                                                 std::int64_t padding_idx) {
    require(static_cast<BagMode>(mode) == BagMode::Sum,
            "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
    const Tensor bags = offset2bag.numel() == 0 && indices.numel() > 0 ? bags_of(indices, offsets) : offset2bag;
    const Tensor dots =
        fn::sum_dim(fn::index_select(grad, 0, bags) * fn::index_select(weight, 0, indices), Dims{1}, false);
    return fn::masked_fill(dots, fn::eq_scalar(indices, Scalar(padding_idx)), Scalar(0));
}

// ---- masked softmax

Tensor masked_softmax(const Tensor& self, const Tensor& mask, const std::optional<std::int64_t>& dim,
                      const std::optional<std::int64_t>& mask_type) {
    require(mask.dtype() == ScalarType::Bool, "Mask should be a boolean tensor");
    require(mask_type.has_value(), "Mask Type should be defined");
    require(*mask_type >= 0 && *mask_type <= 2,
            "Mask Type should be 0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)");
    require(*mask_type != 0, "src_mask not currently supported on CPU");
    require(to_dims(mask.sizes()) == to_dims(self.sizes()), "Mask shape should match input shape");
    const Tensor left = fn::masked_fill(self, mask, Scalar(-std::numeric_limits<double>::infinity()));
    return fn::softmax(left, dim.value_or(self.dim() - 1), IValue());
}
// Hidden elements get no gradient.
Tensor masked_softmax_backward(const Tensor& grad_output, const Tensor& output, const Tensor& mask,
                               const std::optional<std::int64_t>& dim) {
    require(to_dims(mask.sizes()) == to_dims(output.sizes()), "Mask shape should match grad shape");
    const Tensor grad = fn::_softmax_backward_data(grad_output, output, dim.value_or(output.dim() - 1),
                                                   static_cast<std::int64_t>(output.dtype()));
    return fn::masked_fill(grad, mask, Scalar(0));
}

// ---- index_put

Tensor index_put_impl(const Tensor& self, const IValue& indices, const Tensor& values, bool accumulate, bool) {
    return fn::index_put(self, indices, values, accumulate);
}
Tensor index_put_impl_in_place(const Tensor& self, const IValue& indices, const Tensor& values, bool accumulate, bool) {
    static const OperatorHandle<> in_place("aten::index_put_");
    return in_place(self, indices, values, accumulate);
}

// ---- einsum by lists of numbers

// a, its dimensions' labels, b, its labels, ..., and the result's labels if there is one list more.
void einsum_of_lists(Arguments arguments, IValue* results) {
    static const OperatorHandle<> einsum("aten::einsum");
    const auto labels_in = [](const IValue& value) {
        require(value.is_list(), "einsum(): expected a list of subscripts after each operand");
        std::string labels;
        for (const std::int64_t label : value.to_ints()) {
            require(label >= 0 && label < 52, "einsum(): expected subscripts to be within range [0, 52), but got ",
                    label);
            labels += static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26);
        }
        return labels;
    };
    require(arguments.size() >= 2, "einsum(): must specify the operands and their subscripts");
    TensorList operands;
    std::string equation;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
        require(arguments[i].is_tensor(), "einsum(): expected a tensor as operand ", i / 2);
        operands.push_back(arguments[i].to_tensor());
        equation += concat(i == 0 ? "" : ",", labels_in(arguments[i + 1]));
    }
    if (arguments.size() % 2 == 1) equation += "->" + labels_in(arguments.back());
    results[0] = einsum(equation, operands, IValue());
}

// ---- copies of views into given tensors

template <const char* kView>
void copy_views_into(Arguments arguments, IValue*) {
    const TensorList out = arguments.back().to_tensors();
    std::array<IValue, 1> made;
    call_operator(detail::operator_or_throw(kView), arguments.first(arguments.size() - 1), made.data());
    const TensorList views = made[0].to_tensors();
    require(views.size() == out.size(), kView, "_copy(): expected ", views.size(), " tensors in out, but got ",
            out.size());
    for (std::size_t i = 0; i < views.size(); ++i) put_into(out[i], views[i]);
}
constexpr char kSplit[] = "aten::split.Tensor";
constexpr char kSplitWithSizes[] = "aten::split_with_sizes";
constexpr char kUnbind[] = "aten::unbind.int";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_convolution_double_backward(Tensor? ggI, Tensor? ggW, Tensor? ggb, Tensor gO, Tensor weight, "
               "Tensor self, int[] stride, "
               "int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool[3] output_mask) "
               "-> (Tensor, Tensor, Tensor)",
     .summary = "Gradients of a convolution's gradients for grad_output, input and weight.",
     .composite = boxed<convolution_double_backward>},
    {.schema = "aten::_slow_conv2d_backward.output_mask(Tensor grad_output, Tensor self, Tensor weight, int[2] "
               "kernel_size, int[2] stride, int[2] "
               "padding, bool[3] output_mask) -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)",
     .summary = "Gradients of a convolution of images.",
     .composite = boxed<slow_conv2d_backward>},
    {.schema = "aten::batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var, float momentum) "
               "-> (Tensor, Tensor)",
     .summary = "Mean and variance of each channel, of which the running statistics take their share.",
     .composite = boxed<batch_norm_update_stats>,
     .writes = "running_mean running_var"},
    {.schema = "aten::_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor "
               "bag_size, Tensor "
               "maximum_indices, int num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? "
               "per_sample_weights, int "
               "padding_idx=-1) -> Tensor",
     .summary = "Gradient of embedding_bag for the table.",
     .composite = boxed<embedding_bag_backward>},
    {.schema =
         "aten::_embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor "
         "maximum_indices, int "
         "num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor",
     .summary = "Gradient of embedding_bag for the table, from the bag of each index.",
     .composite = boxed<embedding_bag_dense_backward>},
    {.schema = "aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor "
               "offsets, Tensor offset2bag, "
               "int mode, int padding_idx=-1) -> Tensor",
     .summary = "Gradient of embedding_bag for the weights of its samples.",
     .composite = boxed<embedding_bag_per_sample_weights_backward>},
    {.schema = "aten::_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor",
     .summary = "softmax over what the mask does not hide.",
     .composite = boxed<masked_softmax>},
    {.schema =
         "aten::_masked_softmax_backward(Tensor grad_output, Tensor output, Tensor mask, int? dim=None) -> Tensor",
     .summary = "Gradient of _masked_softmax.",
     .composite = boxed<masked_softmax_backward>},
    {.schema = "aten::_index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool "
               "unsafe=False) -> Tensor",
     .summary = "The same as index_put.",
     .composite = boxed<index_put_impl>},
    {.schema = "aten::_index_put_impl_.hacked_twin(Tensor(a!) self, Tensor[] indices, Tensor values, bool "
               "accumulate=False, bool unsafe=False) -> "
               "Tensor(a!)",
     .summary = "The same as index_put_.",
     .composite = boxed<index_put_impl_in_place>},
    {.schema = "aten::einsum.sublist(Tensor a, ...) -> Tensor",
     .summary = "einsum with the labels of the dimensions as lists of numbers.",
     .composite = einsum_of_lists,
     .autocast = {.cuda = Autocast::Lower}},
    {.schema = "aten::split_copy.Tensor_out(Tensor self, int split_size, int dim=0, *, Tensor(a!)[] out) -> ()",
     .summary = "Copies of the parts of split.",
     .composite = copy_views_into<kSplit>},
    {.schema = "aten::split_with_sizes_copy.out(Tensor self, int[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()",
     .summary = "Copies of the parts of split_with_sizes.",
     .composite = copy_views_into<kSplitWithSizes>},
    {.schema = "aten::unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()",
     .summary = "Copies of the slices along dim.",
     .composite = copy_views_into<kUnbind>},
};

}  // namespace

std::span<const OperatorRecord> internal_call_records() { return kRecords; }

}  // namespace loupe::composed
