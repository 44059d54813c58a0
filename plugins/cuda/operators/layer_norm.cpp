// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/layer_norm.h"

#include "core/dispatch/boxing.h"
#include "core/dispatch/registry.h"
#include "core/ops/nn/common.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

NormRows rows_of(const Tensor& input, std::int64_t dims, const Tensor& moment) {
    NormRows shape;
    shape.rows = shape.length = 1;
    for (std::int64_t d = 0; d < input.dim(); ++d)
        (d < input.dim() - dims ? shape.rows : shape.length) *= input.size(d);
    shape.element = element_of(input.dtype());
    shape.moment = element_of(moment.dtype());
    return shape;
}

// Parameters of the input's dtype as they are, others as what is computed in.
Tensor parameter(const Tensor& t, const Tensor& input, bool wide) {
    return dense(t, wide ? nn_ops::compute_dtype(input.dtype()) : input.dtype());
}
bool is_wide(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    return (weight.defined() && weight.dtype() != input.dtype()) || (bias.defined() && bias.dtype() != input.dtype());
}

void native_layer_norm(const Tensor& out, const Tensor& mean, const Tensor& rstd, const Tensor& input,
                       const Dims& normalized_shape, const Tensor& weight, const Tensor& bias, double eps) {
    const Tensor x = dense(input);
    const Room y(out), to_mean(mean), to_rstd(rstd);
    NormRows shape = rows_of(input, static_cast<std::int64_t>(normalized_shape.size()), mean);
    shape.eps = eps;
    shape.wide_parameters = is_wide(input, weight, bias);
    const Tensor w = parameter(weight, input, shape.wide_parameters), b = parameter(bias, input, shape.wide_parameters);
    run_layer_norm(queue_of(input.device()), shape, address_of(x), address_of(w), address_of(b), address_of(y.tensor()),
                   address_of(to_mean.tensor()), address_of(to_rstd.tensor()));
    for (const Room* room : {&y, &to_mean, &to_rstd}) room->put_back();
}

void native_layer_norm_backward(Arguments arguments, IValue* results) {
    static const Operator& own = *find_operator("aten::native_layer_norm_backward");
    MetaList metas;
    own.record->infer(arguments, metas);
    const std::vector<bool> mask = arguments[7].to_bools();
    const Tensor input = arguments[1].to_tensor(), weight = arguments[5].to_tensor();
    const Tensor mean = dense(arguments[3].to_tensor()), rstd = dense(arguments[4].to_tensor(), mean.dtype());
    const Tensor grad = dense(arguments[0].to_tensor(), input.dtype()), x = dense(input);
    std::array<Tensor, 3> made;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!mask[i]) continue;
        made[i] = empty(span_of(metas[i].sizes), metas[i].dtype, input.device());
        results[i] = made[i];
    }
    NormRows shape = rows_of(input, static_cast<std::int64_t>(arguments[2].to_ints().size()), mean);
    shape.wide_parameters = is_wide(input, weight, Tensor());
    const Queue queue = queue_of(input.device());
    if (mask[0] && input.numel() > 0) {
        const Tensor w = parameter(weight, input, shape.wide_parameters);
        run_layer_norm_gradient(queue, shape, address_of(grad), address_of(x), address_of(mean), address_of(rstd),
                                address_of(w), address_of(made[0]));
    }
    if (!mask[1] && !mask[2]) return;
    const ScalarType wide = nn_ops::compute_dtype(input.dtype());
    const Tensor parts = empty(std::array{norm_parts(shape), std::int64_t{2}, shape.length}, wide, input.device());
    std::array<Tensor, 2> sums;
    for (std::size_t i = 0; i < 2; ++i) {
        if (mask[i + 1])
            sums[i] = made[i + 1].dtype() == wide ? made[i + 1] : empty(made[i + 1].sizes(), wide, input.device());
    }
    run_layer_norm_sums(queue, shape, address_of(grad), address_of(x), address_of(mean), address_of(rstd),
                        address_of(parts), address_of(sums[0]), address_of(sums[1]));
    for (std::size_t i = 0; i < 2; ++i) {
        if (mask[i + 1] && !sums[i].is_same(made[i + 1])) copy_into(made[i + 1], sums[i]);
    }
}

}  // namespace

void register_layer_norm(const Registration& to) {
    to.add("aten::native_layer_norm", filling<native_layer_norm, 3>, takes_floating<0, 2, 3>);
    to.add("aten::native_layer_norm_backward", native_layer_norm_backward, takes_floating<0, 1, 3, 4, 5>);
}

}  // namespace loupe::cuda
