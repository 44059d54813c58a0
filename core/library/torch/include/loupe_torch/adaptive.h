// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::AdaptiveLogSoftmaxWithLoss: Grave et al. 2017.

#include <vector>

#include <loupe_torch/arg.h>
#include <loupe_torch/container.h>
#include <loupe_torch/nn.h>

namespace torch::nn {

// Of a forward: the log probability of each target, and the mean of their negatives.
struct ASMoutput {
    ASMoutput(at::Tensor log_probabilities, double mean) : output(std::move(log_probabilities)), loss(mean) {}
    at::Tensor output;
    double loss;
};

class AdaptiveLogSoftmaxWithLossOptions {
  public:
    AdaptiveLogSoftmaxWithLossOptions(std::int64_t in_features, std::int64_t n_classes,
                                      std::vector<std::int64_t> cutoffs)
        : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
    TORCH_ARG(std::int64_t, in_features);
    TORCH_ARG(std::int64_t, n_classes);
    TORCH_ARG(std::vector<std::int64_t>, cutoffs);  // where a cluster of rarer classes begins
    TORCH_ARG(double, div_value) = 4.;              // each cluster has fewer features than the one before by it
    TORCH_ARG(bool, head_bias) = false;
};

// A softmax over many classes: the frequent ones in the head, the others in clusters of the tail.
class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
  public:
    AdaptiveLogSoftmaxWithLossImpl(std::int64_t in_features, std::int64_t n_classes, std::vector<std::int64_t> cutoffs)
        : AdaptiveLogSoftmaxWithLossImpl(
              AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs))) {}
    // Throws c10::Error for cutoffs that are not rising numbers between 1 and n_classes - 1.
    explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions given);
    // input: [N, in_features] or [in_features]; target: [N] or []. Throws c10::Error for other sizes and targets that
    // are no class.
    ASMoutput forward(const at::Tensor& input, const at::Tensor& target);
    // [N, n_classes] of an input [N, in_features].
    at::Tensor log_prob(const at::Tensor& input);
    // The class of the highest probability: [N].
    at::Tensor predict(const at::Tensor& input);
    at::Tensor _get_full_log_prob(const at::Tensor& input, const at::Tensor& head_output);
    void reset() override;
    void reset_parameters();
    void pretty_print(std::ostream& out) const override { out << "torch::nn::AdaptiveLogSoftmaxWithLoss"; }

    AdaptiveLogSoftmaxWithLossOptions options;
    std::vector<std::int64_t> cutoffs;  // with n_classes at the end
    std::int64_t shortlist_size = 0;    // classes of the head
    std::int64_t n_clusters = 0;
    std::int64_t head_size = 0;
    Linear head{nullptr};
    ModuleList tail;
};
TORCH_MODULE(AdaptiveLogSoftmaxWithLoss);

}  // namespace torch::nn
