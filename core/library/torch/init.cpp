// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/init.h>

#include <utility>
#include <vector>

#include "core/library/torch/call.h"
#include "core/nn/init/init.h"

using namespace loupe::torch_api;

namespace torch::nn::init {
namespace {

// The engine's function of the name fills the tensor.
at::Tensor filled(const char* name, const at::Tensor& tensor,
                  std::vector<std::pair<std::string, loupe::IValue>> given) {
    return translated([&] {
        loupe::nn::call_function(*loupe::nn::find_init(name), {{tensor.engine()}, std::move(given)});
        return tensor;
    });
}

}  // namespace

double calculate_gain(const Word& nonlinearity, double param) {
    return translated([&] { return loupe::nn::init::calculate_gain(nonlinearity.text(), param); });
}
at::Tensor constant_(at::Tensor tensor, const at::Scalar& value) {
    return filled("constant_", tensor, {{"val", box(value)}});
}
at::Tensor dirac_(at::Tensor tensor) { return filled("dirac_", tensor, {}); }
at::Tensor eye_(at::Tensor matrix) { return filled("eye_", matrix, {}); }
at::Tensor normal_(at::Tensor tensor, double mean, double std) {
    return filled("normal_", tensor, {{"mean", mean}, {"std", std}});
}
at::Tensor ones_(at::Tensor tensor) { return filled("ones_", tensor, {}); }
at::Tensor orthogonal_(at::Tensor tensor, double gain) { return filled("orthogonal_", tensor, {{"gain", gain}}); }
at::Tensor sparse_(at::Tensor tensor, double sparsity, double std) {
    return filled("sparse_", tensor, {{"sparsity", sparsity}, {"std", std}});
}
at::Tensor uniform_(at::Tensor tensor, double low, double high) {
    return filled("uniform_", tensor, {{"a", low}, {"b", high}});
}
at::Tensor kaiming_normal_(at::Tensor tensor, double a, const Word& mode, const Word& nonlinearity) {
    return filled("kaiming_normal_", tensor, {{"a", a}, {"mode", mode.text()}, {"nonlinearity", nonlinearity.text()}});
}
at::Tensor kaiming_uniform_(at::Tensor tensor, double a, const Word& mode, const Word& nonlinearity) {
    return filled("kaiming_uniform_", tensor, {{"a", a}, {"mode", mode.text()}, {"nonlinearity", nonlinearity.text()}});
}
at::Tensor xavier_normal_(at::Tensor tensor, double gain) { return filled("xavier_normal_", tensor, {{"gain", gain}}); }
at::Tensor xavier_uniform_(at::Tensor tensor, double gain) {
    return filled("xavier_uniform_", tensor, {{"gain", gain}});
}
at::Tensor zeros_(at::Tensor tensor) { return filled("zeros_", tensor, {}); }
std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const at::Tensor& tensor) {
    return translated([&]() -> std::tuple<std::int64_t, std::int64_t> {
        const auto fans = loupe::nn::init::calculate_fans(tensor.engine());
        return {fans.in, fans.out};
    });
}

}  // namespace torch::nn::init
