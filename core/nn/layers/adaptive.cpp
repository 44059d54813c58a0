// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.adaptive: Grave et al. 2017. Frequent classes in the head, the others in clusters of smaller rank.
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/arithmetic.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

using namespace arithmetic;

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void reset_adaptive(Module& self) {
    reset_parameters(*child(self, "head"));
    for (const auto& [name, cluster] : child(self, "tail")->children()) {
        for (const auto& [part, linear] : cluster->children()) reset_parameters(*linear);
    }
}

void init_adaptive(Module& self, std::int64_t in_features, std::int64_t n_classes, const Dims& cutoffs,
                   const IValue& div_value, bool head_bias, const IValue& device, const IValue& dtype) {
    std::int64_t last = 0;
    for (const std::int64_t cutoff : cutoffs) {
        if (cutoff <= last || cutoff > n_classes - 1) {
            run_error(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is "
                "between 1 and n_classes-1");
        }
        last = cutoff;
    }
    Dims all = cutoffs;
    all.push_back(n_classes);
    const auto clusters = static_cast<std::int64_t>(all.size()) - 1;
    const std::int64_t head_size = all[0] + clusters;
    self.set_attribute("in_features", in_features);
    self.set_attribute("n_classes", n_classes);
    self.set_attribute("cutoffs", IValue(all));
    self.set_attribute("div_value", div_value);
    self.set_attribute("head_bias", head_bias);
    self.set_attribute("shortlist_size", all[0]);
    self.set_attribute("n_clusters", clusters);
    self.set_attribute("head_size", head_size);
    const auto linear = [&](std::int64_t in, std::int64_t out, bool bias) {
        return IValue(
            Ptr<Object>(make_layer("Linear", {in, out}, {{"bias", bias}, {"device", device}, {"dtype", dtype}})));
    };
    self.register_module("head", as_module(linear(in_features, head_size, head_bias)));
    const ModulePtr tail = make_layer("ModuleList");
    self.register_module("tail", tail);
    for (std::int64_t i = 0; i < clusters; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const double rank =
            std::floor(static_cast<double>(in_features) / std::pow(div_value.to_double(), static_cast<double>(i + 1)));
        const auto hidden = static_cast<std::int64_t>(rank);
        tail->register_module(std::to_string(i),
                              make_layer("Sequential", {linear(in_features, hidden, false),
                                                        linear(hidden, all[place + 1] - all[place], false)}));
    }
}

void check_sizes(const Tensor& input, const Tensor& target) {
    if (target.dim() > 1) run_error("0D or 1D target tensor expected, multi-target not supported");
    if (target.dim() == 1 && input.size(0) != target.size(0)) {
        run_error("Input and target should have the same size in the batch dimension.");
    }
    if (input.dim() != target.dim() + 1) {
        run_error(concat(target.dim(), "D target tensor expects ", target.dim() + 1,
                         "D input tensors, but found inputs with size torch.Size(", shape_list_text(input.sizes()),
                         ")"));
    }
}

IValue forward_adaptive(Module& self, const Tensor& given, const Tensor& wanted) {
    check_sizes(given, wanted);
    const bool has_batch = wanted.dim() == 1;
    const Tensor input = has_batch ? given : fn::unsqueeze(given, 0);
    const Tensor target = has_batch ? wanted : fn::unsqueeze(wanted, 0);
    const Dims cutoffs = self.attribute("cutoffs").to_ints();
    const std::int64_t shortlist = cutoffs[0];
    const auto tail = child(self, "tail")->children();
    // Which entry of the head each row asks for: its class, or its cluster.
    Tensor entries = target;
    Tensor output = fn::new_zeros(input, Dims{target.size(0)}, IValue(), IValue(), IValue(), IValue());
    std::int64_t used = 0;
    for (std::size_t i = 0; i < cutoffs.size(); ++i) {
        const std::int64_t low = i == 0 ? 0 : cutoffs[i - 1];
        const Tensor mask =
            fn::logical_and(fn::ge_scalar(target, Scalar(low)), fn::lt_scalar(target, Scalar(cutoffs[i])));
        const Tensor rows = fn::squeeze(fn::nonzero(mask), 1);
        used += rows.numel();
        if (i == 0 || rows.numel() == 0) continue;
        const Tensor relative = fn::index_select(target, 0, rows) - Scalar(low);
        const Tensor logits = tail[i - 1].second->call({fn::index_select(input, 0, rows)}).to_tensor();
        const Tensor local = fn::gather(fn::log_softmax(logits, 1, IValue()), 1, fn::unsqueeze(relative, 1), false);
        entries = fn::index_fill(entries, 0, rows, Scalar(shortlist + static_cast<std::int64_t>(i) - 1));
        output = fn::index_copy(output, 0, rows, fn::squeeze(local, 1));
    }
    if (used != target.size(0)) {
        run_error(concat("Target values should be in [0, ", integer(self, "n_classes") - 1,
                         "], but values in range were found outside"));
    }
    const Tensor head = fn::log_softmax(child(self, "head")->call({input}).to_tensor(), 1, IValue());
    output = output + fn::squeeze(fn::gather(head, 1, fn::unsqueeze(entries, 1), false), 1);
    const Tensor loss = fn::mean(-output, IValue());
    static const TypePtr type = types::named_tuple("torch.nn.modules.adaptive._ASMoutput", {"output", "loss"},
                                                   {types::tensor(), types::tensor()});
    return make_ptr<TupleObject>(std::vector<IValue>{has_batch ? output : fn::squeeze(output, 0), loss}, type);
}

Tensor all_log_probabilities(Module& self, const Tensor& input) {
    const Tensor head = fn::log_softmax(child(self, "head")->call({input}).to_tensor(), 1, IValue());
    const std::int64_t shortlist = integer(self, "shortlist_size");
    TensorList parts{fn::narrow(head, 1, 0, shortlist)};
    std::int64_t cluster = 0;
    for (const auto& [name, module] : child(self, "tail")->children()) {
        const Tensor within = fn::log_softmax(module->call({input}).to_tensor(), 1, IValue());
        parts.push_back(within + fn::narrow(head, 1, shortlist + cluster++, 1));
    }
    return fn::cat(parts, 1);
}
Tensor predicted(Module& self, const Tensor& input) { return fn::argmax(all_log_probabilities(self, input), 1, false); }

constexpr LayerMethod kMethods[] = {
    {"log_prob(Tensor input) -> Tensor", computes<all_log_probabilities>},
    {"predict(Tensor input) -> Tensor", computes<predicted>},
};

constexpr LayerRecord kRecords[] = {
    {.name = "AdaptiveLogSoftmaxWithLoss",
     .base = "Module",
     .module = "torch.nn.modules.adaptive",
     .summary = "The log-likelihood of many classes, rare ones at a smaller rank.",
     .constructor = "(int in_features, int n_classes, int[] cutoffs, Scalar div_value=4.0, bool head_bias=False, "
                    "Device? device=None, "
                    "ScalarType? dtype=None)",
     .init = builds<init_adaptive>,
     .forward_schema = "(Tensor input_, Tensor target_) -> Any",
     .forward = computes<forward_adaptive>,
     .reset_parameters = reset_adaptive,
     .methods = kMethods},
};

}  // namespace

LayerFamily adaptive_layers() { return kRecords; }

}  // namespace loupe::nn::layers
