// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/linear_ends.h"

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/loops/linear_ends.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

using matrix::LinearActivation;

LinearEnd end_of(LinearActivation activation, const Tensor& rows) {
    LinearEnd end;
    end.columns = rows.size(-1);
    end.rows = end.columns == 0 ? 0 : rows.numel() / end.columns;
    end.element = element_of(rows.dtype());
    end.is_relu = activation == LinearActivation::Relu;
    end.leading = matrix::aux_leading(activation, end.columns);
    return end;
}

void gradient_of_activation(const Tensor& out, const Tensor& grad, const Tensor& aux, LinearActivation activation) {
    const Tensor from = dense(grad), kept = dense(aux);
    const Room to(out);
    run_linear_end_gradient(queue_of(out.device()), end_of(activation, from), address_of(from), address_of(kept),
                            address_of(to.tensor()));
    to.put_back();
}

void linear_activation(const Tensor& output, const Tensor& aux, const Tensor& input, const Tensor& weight,
                       const Tensor& bias, std::string_view activation, bool) {
    layer_in_two(output, aux, input, weight, bias, matrix::parse_linear_activation(activation));
}
void activation_gradient(const Tensor& out, const Tensor& grad, const Tensor& aux, std::string_view activation) {
    gradient_of_activation(out, grad, aux, matrix::parse_linear_activation(activation));
}
void product_gradient(const Tensor& before, const Tensor& sums, const Tensor& grad, const Tensor& weight,
                      const Tensor& aux, std::string_view activation, bool) {
    product_gradient_in_two(before, sums, grad, weight, aux, matrix::parse_linear_activation(activation));
}
void weight_gradient(const Tensor& weight, const Tensor& bias, const Tensor& grad, const Tensor& input, bool) {
    weight_gradient_in_two(weight, bias, grad, input);
}

}  // namespace

void layer_in_two(const Tensor& output, const Tensor& aux, const Tensor& input, const Tensor& weight,
                  const Tensor& bias, LinearActivation activation) {
    const Tensor sum = fn::linear(input, weight, bias);
    if (activation == LinearActivation::None) return copy_into(output, sum);
    const Tensor from = dense(sum);
    const Room to(output), kept(aux);
    if (aux.numel() > 0 && activation == LinearActivation::GeluTanh && kept.tensor().size(-1) != from.size(-1))
        fill_with(kept.tensor(), 0);
    run_linear_end(queue_of(output.device()), end_of(activation, from), address_of(from), address_of(to.tensor()),
                   aux.numel() == 0 ? nullptr : address_of(kept.tensor()));
    for (const Room* room : {&to, &kept}) room->put_back();
}

void product_gradient_in_two(const Tensor& before, const Tensor& sums, const Tensor& grad, const Tensor& weight,
                             const Tensor& aux, LinearActivation activation) {
    gradient_of_activation(before, fn::mm(grad, weight), aux, activation);
    if (sums.numel() > 0) copy_into(sums, fn::sum_dim(before, Dims{0}, false));
}

void weight_gradient_in_two(const Tensor& weight, const Tensor& bias, const Tensor& grad, const Tensor& input) {
    copy_into(weight, fn::mm(fn::t(grad), input));
    if (bias.numel() > 0) copy_into(bias, fn::sum_dim(grad, Dims{0}, false));
}

void register_linear_ends(const Registration& to) {
    to.add("loupe::linear_activation", filling<linear_activation, 2>, takes_floating<0>);
    to.add("loupe::activation_gradient", filling<activation_gradient>, takes_floating<0>);
    to.add("loupe::product_activation_gradient", filling<product_gradient, 2>, takes_floating<0>);
    to.add("loupe::linear_weight_gradient", filling<weight_gradient, 2>, takes_floating<0>);
}

}  // namespace loupe::cuda
