// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/adaptive.h>

#include <cmath>

namespace torch::nn {
namespace {

SequentialImpl& cluster_of(const ModuleList& tail, std::int64_t i) {
    return tail->at<SequentialImpl>(static_cast<std::size_t>(i));
}

// Below 0 or not below the number of classes, these would be left out of every cluster.
void check_targets(const at::Tensor& targets, std::int64_t used, std::int64_t classes) {
    TORCH_CHECK(used == targets.numel(), "Target values should be in [0, ", classes - 1, "], but values in range [",
                targets.min().item().toDouble(), ", ", targets.max().item().toDouble(), "] were found. ");
}

}  // namespace

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions given)
    : Cloneable("torch::nn::AdaptiveLogSoftmaxWithLoss"), options(std::move(given)) {
    cutoffs = options.cutoffs();
    bool is_rising = !cutoffs.empty();
    for (std::size_t i = 0; i < cutoffs.size(); ++i)
        is_rising = is_rising && cutoffs[i] > (i == 0 ? 0 : cutoffs[i - 1]) && cutoffs[i] < options.n_classes();
    TORCH_CHECK(is_rising, "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, ",
                "where each value is between 1 and n_classes-1");
    cutoffs.push_back(options.n_classes());
    reset();
}

void AdaptiveLogSoftmaxWithLossImpl::reset() {
    shortlist_size = cutoffs.front();
    n_clusters = static_cast<std::int64_t>(cutoffs.size()) - 1;
    head_size = shortlist_size + n_clusters;
    head = register_module("head", Linear(LinearOptions(options.in_features(), head_size).bias(options.head_bias())));
    tail = register_module("tail", ModuleList());
    for (std::int64_t i = 0; i < n_clusters; ++i) {
        const auto features = static_cast<std::int64_t>(static_cast<double>(options.in_features()) /
                                                        std::pow(options.div_value(), static_cast<double>(i + 1)));
        const auto at = static_cast<std::size_t>(i);
        Sequential cluster;
        cluster->push_back(Linear(LinearOptions(options.in_features(), features).bias(false)));
        cluster->push_back(Linear(LinearOptions(features, cutoffs[at + 1] - cutoffs[at]).bias(false)));
        tail->push_back(cluster);
    }
}

void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
    head->reset_parameters();
    for (std::int64_t i = 0; i < n_clusters; ++i)
        for (std::size_t part = 0; part < 2; ++part) cluster_of(tail, i).at<LinearImpl>(part).reset_parameters();
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const at::Tensor& given, const at::Tensor& given_target) {
    TORCH_CHECK(given_target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
    const bool is_batch = given_target.dim() == 1;
    TORCH_CHECK(given.dim() == (is_batch ? 2 : 1),
                is_batch ? "1D target tensor expects 2D input tensors, but found inputs with sizes "
                         : "0D target tensor expects 1D input tensors, but found inputs with sizes ",
                given.sizes(), ".");
    const at::Tensor input = is_batch ? given : given.unsqueeze(0);
    const at::Tensor target = is_batch ? given_target : given_target.unsqueeze(0);

    std::int64_t used = 0;
    at::Tensor output = at::zeros({target.size(0)}, input.options());
    at::Tensor in_head = at::empty({target.size(0)}, target.options());  // the class, or the cluster's place
    for (std::int64_t i = 0; i <= n_clusters; ++i) {
        const std::int64_t low = i == 0 ? 0 : cutoffs[static_cast<std::size_t>(i - 1)];
        const at::Tensor is_here = (target >= low) & (target < cutoffs[static_cast<std::size_t>(i)]);
        const at::Tensor rows = is_here.nonzero().squeeze(-1);
        if (rows.numel() == 0) continue;
        const at::Tensor relative = target.index_select(0, rows) - low;
        if (i == 0) {
            in_head.index_copy_(0, rows, relative);
        } else {
            const at::Tensor scores = cluster_of(tail, i - 1).forward(input.index_select(0, rows));
            in_head.index_fill_(0, rows, shortlist_size + i - 1);
            const at::Tensor inside = at::log_softmax(scores, 1).gather(1, relative.unsqueeze(1));
            output.index_copy_(0, rows, inside.squeeze(1));
        }
        used += rows.numel();
    }
    check_targets(target, used, options.n_classes());
    output = output + at::log_softmax(head(input), 1).gather(1, in_head.unsqueeze(1)).squeeze(1);
    const double loss = (-output).mean().item().toDouble();
    return {is_batch ? output : output.squeeze(0), loss};
}

at::Tensor AdaptiveLogSoftmaxWithLossImpl::_get_full_log_prob(const at::Tensor& input, const at::Tensor& head_output) {
    const at::Tensor in_head = at::log_softmax(head_output, 1);
    std::vector<at::Tensor> parts = {in_head.slice(1, 0, shortlist_size)};
    for (std::int64_t i = 0; i < n_clusters; ++i)
        parts.push_back(at::log_softmax(cluster_of(tail, i).forward(input), 1) +
                        in_head.select(1, shortlist_size + i).unsqueeze(1));
    return at::cat(parts, 1);
}

at::Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const at::Tensor& input) {
    return _get_full_log_prob(input, head(input));
}

at::Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const at::Tensor& input) {
    const at::Tensor head_output = head(input);
    const at::Tensor best = at::argmax(head_output, 1);
    const at::Tensor is_in_tail = best >= shortlist_size;
    if (!is_in_tail.any().item<bool>()) return best;
    const at::Tensor rows = is_in_tail.nonzero().squeeze(-1);
    const at::Tensor whole = _get_full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows));
    return best.index_copy(0, rows, at::argmax(whole, 1));
}

}  // namespace torch::nn
