// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::functional. Functions and their options are written from the engine's records: functional.inc.

#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include <loupe_torch/arg.h>
#include <loupe_torch/nn.h>

namespace torch::nn {

class TripletMarginWithDistanceLossOptions {
  public:
    using reduction_t = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;
    using distance_function_t = std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>;
    TORCH_ARG(std::optional<distance_function_t>, distance_function);  // without one: pairwise_distance
    TORCH_ARG(double, margin) = 1.0;
    TORCH_ARG(bool, swap) = false;
    TORCH_ARG(reduction_t, reduction) = kMean;
};

namespace functional {

#include <loupe_torch/functional.inc>

// The options of D dimensions.
template <std::size_t D>
using ConvFuncOptions = nn::detail::Chosen<D - 1, Conv1dFuncOptions, Conv2dFuncOptions, Conv3dFuncOptions>;
template <std::size_t D>
using ConvTransposeFuncOptions =
    nn::detail::Chosen<D - 1, ConvTranspose1dFuncOptions, ConvTranspose2dFuncOptions, ConvTranspose3dFuncOptions>;
template <std::size_t D>
using MaxUnpoolFuncOptions =
    nn::detail::Chosen<D - 1, MaxUnpool1dFuncOptions, MaxUnpool2dFuncOptions, MaxUnpool3dFuncOptions>;

inline at::Tensor logsigmoid(const at::Tensor& input) { return at::log_sigmoid(input); }
inline at::Tensor silu(const at::Tensor& input) { return at::silu(input); }
inline at::Tensor mish(const at::Tensor& input) { return at::mish(input); }
inline at::Tensor prelu(const at::Tensor& input, const at::Tensor& weight) { return at::prelu(input, weight); }
inline at::Tensor softsign(const at::Tensor& input) { return input / (input.abs() + 1); }
inline at::Tensor tanhshrink(const at::Tensor& input) { return input - input.tanh(); }
inline at::Tensor pdist(const at::Tensor& input, double p = 2.0) { return at::pdist(input, p); }
inline at::Tensor one_hot(const at::Tensor& tensor, std::int64_t num_classes = -1) {
    return at::one_hot(tensor, num_classes);
}
inline at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias = {}) {
    return at::linear(input, weight, bias);
}
inline at::Tensor bilinear(const at::Tensor& input1, const at::Tensor& input2, const at::Tensor& weight,
                           const at::Tensor& bias = {}) {
    return at::bilinear(input1, input2, weight, bias);
}
inline at::Tensor affine_grid(const at::Tensor& theta, const c10::IntArrayRef& size, bool align_corners = false) {
    return at::affine_grid_generator(theta, size, align_corners);
}
// beta instead of the one in options. Throws c10::Error when options have one too.
at::Tensor smooth_l1_loss(const at::Tensor& input, const at::Tensor& target, const SmoothL1LossFuncOptions& options,
                          double beta);

using TripletMarginWithDistanceLossFuncOptions = TripletMarginWithDistanceLossOptions;
// The mean, sum or each of max(0, d(anchor, positive) - d(anchor, negative) + margin); with swap the nearer of anchor
// and positive is compared with the negative.
at::Tensor triplet_margin_with_distance_loss(const at::Tensor& anchor, const at::Tensor& positive,
                                             const at::Tensor& negative,
                                             const TripletMarginWithDistanceLossFuncOptions& options = {});

}  // namespace functional

class TripletMarginWithDistanceLossImpl : public Cloneable<TripletMarginWithDistanceLossImpl> {
  public:
    explicit TripletMarginWithDistanceLossImpl(TripletMarginWithDistanceLossOptions given = {})
        : Cloneable("torch::nn::TripletMarginWithDistanceLossImpl"), options(std::move(given)) {}
    void reset() override {}
    void pretty_print(std::ostream& out) const override;
    at::Tensor forward(const at::Tensor& anchor, const at::Tensor& positive, const at::Tensor& negative) {
        return functional::triplet_margin_with_distance_loss(anchor, positive, negative, options);
    }
    TripletMarginWithDistanceLossOptions options;
};
TORCH_MODULE(TripletMarginWithDistanceLoss);

}  // namespace torch::nn
