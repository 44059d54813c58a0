// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/functional.h>

#include <initializer_list>

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/library/torch/box_options.h"
#include "core/nn/native_function.h"

using namespace loupe::torch_api;

namespace torch::nn::functional {
namespace {

using reduction_t = TripletMarginWithDistanceLossOptions::reduction_t;

loupe::IValue result_of(const char* name, std::initializer_list<at::Tensor> tensors, nn::detail::Arguments options) {
    return translated([&] {
        loupe::plugins();
        loupe::CallArguments arguments;
        for (const at::Tensor& tensor : tensors) arguments.positional.emplace_back(tensor.engine());
        arguments.keywords = std::move(options);
        return loupe::nn::call_function(*loupe::nn::find_functional(name), std::move(arguments));
    });
}

at::Tensor called(const char* name, std::initializer_list<at::Tensor> tensors, nn::detail::Arguments options) {
    return at::Tensor(result_of(name, tensors, std::move(options)).to_tensor());
}

// The second may be missing: weights of attention that were not asked for.
std::tuple<at::Tensor, at::Tensor> called_for_two(const char* name, std::initializer_list<at::Tensor> tensors,
                                                  nn::detail::Arguments options) {
    const loupe::IValue results = result_of(name, tensors, std::move(options));
    const auto& both = results.to_tuple().elements;
    return {at::Tensor(both[0].to_tensor()), both[1].is_tensor() ? at::Tensor(both[1].to_tensor()) : at::Tensor()};
}

at::Tensor reduced(const at::Tensor& loss, const reduction_t& reduction) {
    if (std::holds_alternative<enumtype::kNone>(reduction)) return loss;
    return std::holds_alternative<enumtype::kMean>(reduction) ? loss.mean() : loss.sum();
}

}  // namespace

#include "functional_written.inc"

at::Tensor smooth_l1_loss(const at::Tensor& input, const at::Tensor& target, const SmoothL1LossFuncOptions& options,
                          double beta) {
    TORCH_CHECK(!options.beta(), "expected beta not to be provided in 'options', but got ", options.beta().value());
    SmoothL1LossFuncOptions with_beta = options;
    return smooth_l1_loss(input, target, with_beta.beta(beta));
}

at::Tensor triplet_margin_with_distance_loss(const at::Tensor& anchor, const at::Tensor& positive,
                                             const at::Tensor& negative,
                                             const TripletMarginWithDistanceLossFuncOptions& options) {
    TORCH_CHECK(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
                "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
                "got: anchor ",
                anchor.dim(), "D, positive ", positive.dim(), "D, and negative ", negative.dim(), "D inputs");
    const auto distance = [&](const at::Tensor& a, const at::Tensor& b) {
        return options.distance_function() ? (*options.distance_function())(a, b) : at::pairwise_distance(a, b);
    };
    const at::Tensor near = distance(anchor, positive);
    at::Tensor far = distance(anchor, negative);
    if (options.swap()) far = at::min(far, distance(positive, negative));
    return reduced(at::clamp_min(near + options.margin() - far, 0), options.reduction());
}

}  // namespace torch::nn::functional

namespace torch::nn {

void TripletMarginWithDistanceLossImpl::pretty_print(std::ostream& out) const {
    out << "torch::nn::TripletMarginWithDistanceLoss(margin=" << options.margin() << ", swap=" << std::boolalpha
        << options.swap() << ')';
}

}  // namespace torch::nn
