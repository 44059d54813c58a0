// SPDX-License-Identifier: Apache-2.0
// Batch and group normalisation.
#include "core/dispatch/boxing.h"
#include "core/ops/nn/common.h"
#include "plugins/cuda/loops/channels.h"
#include "plugins/cuda/operators/layout.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

Channels channels_of(const Tensor& input, bool last, bool per_sample) {
    Channels shape;
    shape.batch = input.size(0);
    shape.channels = input.size(1);
    shape.pixels = input.numel() / std::max<std::int64_t>(1, shape.batch * shape.channels);
    shape.last = last;
    shape.per_sample = per_sample;
    shape.element = element_of(input.dtype());
    return shape;
}

Column column_of(const Tensor& t) { return {address_of(t), t.defined() ? element_of(t.dtype()) : Element::Float32}; }

// Numbers of the dtype that is computed in.
struct Numbers {
    Tensor all;
    Numbers(std::int64_t columns, std::int64_t keys, const Tensor& input)
        : all(empty(std::array{columns, keys}, nn_ops::compute_dtype(input.dtype()), input.device())) {}
    void* column(std::int64_t i) const {
        return static_cast<char*>(address_of(all)) + i * all.size(1) * all.element_size();
    }
};

Tensor parts_of(const Channels& shape, const Tensor& input) {
    return empty(std::array{channel_parts(shape), shape.keys(), std::int64_t{2}}, ScalarType::Float64, input.device());
}
double* doubles(const Tensor& t) { return static_cast<double*>(address_of(t)); }

void native_batch_norm(const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, const Tensor& running_mean, const Tensor& running_var,
                       bool training, double momentum, double eps) {
    const bool last = is_channels_last(input);
    const Tensor x = in_layout(input, last, input.dtype());
    const Channels shape = channels_of(input, last, false);
    const Queue queue = queue_of(input.device());
    const Numbers numbers(2, shape.channels, input);
    Tensor parts;
    if (training) {
        parts = parts_of(shape, input);
        run_channel_sums(queue, shape, nullptr, address_of(x), nullptr, 1, doubles(parts));
    }
    // The kernel of the numbers writes in order.
    const Tensor w = dense(weight), b = dense(bias);
    std::optional<Room> mean, variance;
    if (running_mean.defined()) mean.emplace(running_mean);
    if (running_var.defined()) variance.emplace(running_var);
    for (const auto& [room, given] : {std::pair(&mean, &running_mean), std::pair(&variance, &running_var)}) {
        if (*room && !(*room)->tensor().is_same(*given)) copy_into((*room)->tensor(), *given);
    }
    run_batch_norm_scales(queue, shape, doubles(parts), address_of(x),
                          {column_of(w), column_of(b), column_of(mean ? mean->tensor() : Tensor()),
                           column_of(variance ? variance->tensor() : Tensor()), column_of(save_mean),
                           column_of(save_invstd), momentum, eps},
                          training, numbers.column(0), numbers.column(1));
    if (training) {
        if (mean) mean->put_back();
        if (variance) variance->put_back();
    }
    const Tensor y = room_in(out, last, input.dtype());
    run_channel_scales(queue, shape, address_of(x), numbers.column(0), numbers.column(1), address_of(y));
    if (!y.is_same(out)) copy_into(out, y);
}

void native_batch_norm_backward(Arguments arguments, IValue* results) {
    const Tensor input = arguments[1].to_tensor(), weight = dense(arguments[2].to_tensor());
    const bool training = arguments[7].to_bool();
    const std::vector<bool> mask = arguments[9].to_bools();
    const bool last = is_channels_last(input);
    const ScalarType wide = nn_ops::compute_dtype(input.dtype());
    const Tensor x = in_layout(input, last, input.dtype()),
                 grad = in_layout(arguments[0].to_tensor(), last, input.dtype());
    const Channels shape = channels_of(input, last, false);
    const Queue queue = queue_of(input.device());
    const Numbers numbers(4, shape.channels, input);
    const Tensor mean = dense(arguments[training ? 5 : 3].to_tensor(), wide);
    const Tensor spread = dense(arguments[training ? 6 : 4].to_tensor());
    Tensor invstd;
    if (training)
        invstd = dense(spread, wide);
    else
        run_inverse_deviation(queue, shape, column_of(spread), arguments[8].to_double(), numbers.column(3));
    const Tensor parts = parts_of(shape, input);
    run_channel_sums(queue, shape, address_of(grad), address_of(x), address_of(mean), 1, doubles(parts));
    const ScalarType parameter = weight.defined() ? weight.dtype() : input.dtype();
    std::array<Tensor, 2> made;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!mask[i + 1]) continue;
        made[i] = empty(std::array{shape.channels}, parameter, input.device());
        results[i + 1] = made[i];
    }
    run_batch_norm_gradients(queue, shape, doubles(parts), address_of(mean),
                             training ? address_of(invstd) : numbers.column(3), column_of(weight), training,
                             numbers.column(0), numbers.column(1), numbers.column(2), column_of(made[0]),
                             column_of(made[1]));
    if (!mask[0]) return;
    const Tensor out = empty_in(input.sizes(), last, input.dtype(), input.device());
    run_channel_gradients(queue, shape, address_of(grad), address_of(x), numbers.column(0), numbers.column(1),
                          numbers.column(2), address_of(out));
    results[0] = out;
}

void native_group_norm(const Tensor& out, const Tensor& mean, const Tensor& rstd, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, std::int64_t, std::int64_t channels, std::int64_t,
                       std::int64_t groups, double eps) {
    const Tensor x = dense(input), w = dense(weight), b = dense(bias);
    const Channels shape = channels_of(input, false, true);
    const Queue queue = queue_of(input.device());
    const Numbers numbers(2, shape.keys(), input);
    const Room to_mean(mean), to_rstd(rstd), y(out);
    run_group_moments(queue, shape, channels / groups, eps, address_of(x), column_of(w), column_of(b),
                      column_of(to_mean.tensor()), column_of(to_rstd.tensor()), numbers.column(0), numbers.column(1));
    run_channel_scales(queue, shape, address_of(x), numbers.column(0), numbers.column(1), address_of(y.tensor()));
    for (const Room* room : {&to_mean, &to_rstd, &y}) room->put_back();
}

// (grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask)
void native_group_norm_backward(Arguments arguments, IValue* results) {
    const Tensor input = arguments[1].to_tensor(), weight = dense(arguments[4].to_tensor());
    const std::vector<bool> mask = arguments[9].to_bools();
    const ScalarType wide = nn_ops::compute_dtype(input.dtype());
    const Tensor x = dense(input), grad = dense(arguments[0].to_tensor(), input.dtype());
    const Tensor mean = dense(arguments[2].to_tensor(), wide), rstd = dense(arguments[3].to_tensor(), wide);
    const Channels shape = channels_of(input, false, true);
    const std::int64_t width = shape.channels / arguments[8].to_int();
    const Queue queue = queue_of(input.device());
    const Tensor parts = parts_of(shape, input);
    run_channel_sums(queue, shape, address_of(grad), address_of(x), address_of(mean), width, doubles(parts));
    const ScalarType parameter = weight.defined() ? weight.dtype() : input.dtype();
    std::array<Tensor, 2> made;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!mask[i + 1]) continue;
        made[i] = empty(std::array{shape.channels}, parameter, input.device());
        results[i + 1] = made[i];
    }
    const Numbers numbers(3, shape.keys(), input);
    run_group_gradients(queue, shape, width, doubles(parts), address_of(mean), address_of(rstd), column_of(weight),
                        numbers.column(0), numbers.column(1), numbers.column(2), column_of(made[0]),
                        column_of(made[1]));
    if (!mask[0]) return;
    const Tensor out = empty(input.sizes(), input.dtype(), input.device());
    run_channel_gradients(queue, shape, address_of(grad), address_of(x), numbers.column(0), numbers.column(1),
                          numbers.column(2), address_of(out));
    results[0] = out;
}

// An empty batch has its own answers; the host knows them.
template <std::size_t kInput, AcceptFunction kFloating>
bool takes_some(Arguments arguments, std::string* why) {
    if (!kFloating(arguments, why)) return false;
    const bool any = arguments[kInput].to_tensor().numel() > 0 && arguments[kInput].to_tensor().dim() >= 2;
    if (!any && why != nullptr) *why = "no elements";
    return any;
}

// What the kernel of the gradients reads must have the sizes that it counts with; the host refuses others in words.
bool fits(std::string* why, bool all_fit) {
    if (!all_fit && why != nullptr) *why = "sizes that do not fit";
    return all_fit;
}
bool has_numbers(const IValue& value, std::int64_t count) {
    return value.is_tensor() && value.to_tensor().defined() && value.to_tensor().numel() == count;
}
bool takes_batch_gradient(Arguments a, std::string* why) {
    if (!takes_some<1, takes_floating<0, 1, 2, 3, 4, 5, 6>>(a, why)) return false;
    const Tensor input = a[1].to_tensor();
    const std::size_t first = a[7].to_bool() ? 5 : 3;
    return fits(why, std::ranges::equal(a[0].to_tensor().sizes(), input.sizes()) && a[9].to_bools().size() == 3 &&
                         has_numbers(a[first], input.size(1)) && has_numbers(a[first + 1], input.size(1)) &&
                         (a[2].is_none() || has_numbers(a[2], input.size(1))));
}
bool takes_group_gradient(Arguments a, std::string* why) {
    if (!takes_some<1, takes_floating<0, 1, 2, 3, 4>>(a, why)) return false;
    const Tensor input = a[1].to_tensor();
    const std::int64_t groups = a[8].to_int(), batch = input.size(0), channels = input.size(1);
    return fits(why, std::ranges::equal(a[0].to_tensor().sizes(), input.sizes()) && a[9].to_bools().size() == 3 &&
                         groups > 0 && channels % groups == 0 && has_numbers(a[2], batch * groups) &&
                         has_numbers(a[3], batch * groups) && (a[4].is_none() || has_numbers(a[4], channels)));
}

}  // namespace

void register_channel_norms(const Registration& to) {
    to.add("aten::native_batch_norm", filling<native_batch_norm, 3>, takes_some<0, takes_floating<0, 1, 2, 3, 4>>);
    to.add("aten::native_batch_norm_backward", native_batch_norm_backward, takes_batch_gradient);
    to.add("aten::native_group_norm", filling<native_group_norm, 3>, takes_some<0, takes_floating<0, 1, 2>>);
    to.add("aten::native_group_norm_backward", native_group_norm_backward, takes_group_gradient);
}

}  // namespace loupe::cuda
