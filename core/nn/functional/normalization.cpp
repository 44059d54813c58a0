// SPDX-License-Identifier: Apache-2.0
// Normalisations.
#include "core/autograd/program_tracer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/kernels/arithmetic.h"
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"

namespace loupe::nn::functional {
namespace {

using namespace arithmetic;

const OperatorHandle<> op_pad("aten::pad");
const OperatorHandle<> op_batch_norm("aten::batch_norm");
const OperatorHandle<> op_instance_norm("aten::instance_norm");
const OperatorHandle<> op_group_norm("aten::group_norm");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

std::string size_text(const Tensor& t) { return concat("torch.Size(", shape_list_text(t.sizes()), ")"); }

// One value a channel has no variance.
void check_batch(const Tensor& input, const char* what, std::int64_t first_dim) {
    std::int64_t count = first_dim == 0 ? input.size(0) : 1;
    for (std::int64_t d = 2; d < input.dim(); ++d) count *= input.size(d);
    if (count == 1)
        fail_with_value(concat("Expected more than 1 ", what, " when training, got input size ", size_text(input)));
}

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                  const Tensor& bias, bool training, double momentum, double eps) {
    if (training) check_batch(input, "value per channel", 0);
    return op_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, true);
}

Tensor instance_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                     const Tensor& bias, bool use_input_stats, double momentum, double eps) {
    if (use_input_stats) check_batch(input, "spatial element", 1);
    return op_instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, true);
}

Tensor group_norm(const Tensor& input, std::int64_t num_groups, const Tensor& weight, const Tensor& bias, double eps) {
    if (input.dim() < 2)
        run_error(concat("Expected at least 2 dimensions for input tensor but received ", input.dim()));
    std::int64_t count = num_groups == 0 ? 0 : input.size(0) * input.size(1) / num_groups;
    for (std::int64_t d = 2; d < input.dim(); ++d) count *= input.size(d);
    if (count == 1)
        fail_with_value(
            concat("Expected more than 1 value per channel when training, got input size ", size_text(input)));
    return op_group_norm(input, num_groups, weight, bias, eps, true);
}

// Krizhevsky et al. 2012.
Tensor local_response_norm(const Tensor& input, std::int64_t size, const Scalar& alpha, const Scalar& beta,
                           const Scalar& k) {
    const std::int64_t dim = input.dim();
    if (dim < 3)
        run_error(
            concat("Expected 3D or higher dimensionality                          input (got ", dim, " dimensions)"));
    if (input.numel() == 0) return input;
    // The mean of `size` neighbouring channels; the border counts as zeros.
    const Tensor squares = fn::unsqueeze(fn::mul(input, input), 1);
    Tensor mean;
    const std::int64_t before = size / 2;
    const std::int64_t after = (size - 1) / 2;
    if (dim == 3) {
        const Tensor padded = op_pad(squares, Dims{0, 0, before, after}, "constant", IValue());
        mean = fn::squeeze(fn::avg_pool2d(padded, Dims{size, 1}, Dims{1, 1}), 1);
    } else {
        // Where the run is recorded its sizes stay those of the input.
        const auto tie = [&input](std::int64_t from, int to) {
            const Tensor number = tied_size(input, from);
            if (number.defined()) tie_number({&fn::view.get(), 1, to, NumberTie::As::Int, number});
        };
        const auto sizes = input.sizes();
        tie(0, 0);
        tie(1, 2);
        tie(2, 3);
        const Tensor flat = fn::view(squares, Dims{sizes[0], 1, sizes[1], sizes[2], -1});
        const Tensor padded = op_pad(flat, Dims{0, 0, 0, 0, before, after}, "constant", IValue());
        const Tensor pooled = fn::squeeze(fn::avg_pool3d(padded, Dims{size, 1, 1}, Dims{1, 1, 1}), 1);
        for (std::int64_t i = 0; i < dim; ++i) tie(i, static_cast<int>(i));
        mean = fn::view(pooled, to_dims(sizes));
    }
    return input / fn::pow_scalar(mean * alpha + k, beta);
}

constexpr NativeFunction kRecords[] = {
    {"batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, Tensor? bias=None, bool "
     "training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
     "Scales each channel to zero mean and unit variance over the batch.", boxed<batch_norm>},
    {"instance_norm(Tensor input, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? "
     "bias=None, "
     "bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor",
     "Scales each channel of each instance to zero mean and unit variance.", boxed<instance_norm>},
    {"layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> "
     "Tensor",
     "Scales the last dimensions to zero mean and unit variance.", calls<"aten::layer_norm">},
    {"rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
     "Scales the last dimensions to a root mean square of one.", calls<"aten::rms_norm">},
    {"group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
     "Scales each group of channels to zero mean and unit variance.", boxed<group_norm>},
    {"local_response_norm(Tensor input, int size, Scalar alpha=0.0001, Scalar beta=0.75, Scalar k=1.0) -> Tensor",
     "Divides by a power of the mean square of neighbouring channels.", boxed<local_response_norm>},
};

}  // namespace

FunctionFamily normalization_records() { return kRecords; }

}  // namespace loupe::nn::functional
