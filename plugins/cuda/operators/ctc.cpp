// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/ctc.h"

#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/index_loops.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// A list of numbers, or a tensor on any device.
Dims lengths_of(const IValue& value) {
    if (!value.is_tensor()) return value.to_ints();
    const Tensor t = dense(on_host(value.to_tensor()), ScalarType::Int64);
    return Dims(t.data<std::int64_t>(), t.data<std::int64_t>() + t.numel());
}

// What the loops read: targets and lengths on the device.
struct Paths {
    CtcShape shape;
    Tensor numbers, targets;

    Paths(const Tensor& log_probs, const Tensor& given, const Dims& inputs, const Dims& lengths, std::int64_t blank)
        : targets(dense(as_index(given, log_probs.device()))) {
        const auto batch = static_cast<std::int64_t>(inputs.size());
        std::vector<std::int64_t> all;
        std::int64_t start = 0, longest = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            all.push_back(given.dim() == 1 ? start : static_cast<std::int64_t>(i) * given.size(1));
            start += lengths[i];
            longest = std::max(longest, lengths[i]);
        }
        all.insert(all.end(), inputs.begin(), inputs.end());
        all.insert(all.end(), lengths.begin(), lengths.end());
        numbers = on_device(tensor_of<std::int64_t>(all, std::array{static_cast<std::int64_t>(all.size())}),
                            log_probs.device());
        const auto* const at = static_cast<const std::int64_t*>(address_of(numbers));
        shape.element = element_of(log_probs.dtype());
        shape.steps = log_probs.size(0);
        shape.batch = batch;
        shape.labels = log_probs.size(2);
        shape.width = 2 * longest + 1;
        shape.blank = blank;
        shape.targets = static_cast<const std::int64_t*>(address_of(targets));
        shape.starts = at;
        shape.input_lengths = at + batch;
        shape.target_lengths = at + 2 * batch;
    }
};

// log_probs, targets, input_lengths, target_lengths, blank, zero_infinity
void forward(Arguments a, IValue* results) {
    const Tensor log_probs = dense(a[0].to_tensor());
    const Device device = log_probs.device();
    const Queue queue = queue_of(device);
    Paths paths(log_probs, a[1].to_tensor(), lengths_of(a[2]), lengths_of(a[3]), a[4].to_int());
    paths.shape.fault = fault_for(queue, "aten::ctc_loss");
    const CtcShape& s = paths.shape;
    const Tensor losses = empty(std::array{s.batch}, log_probs.dtype(), device);
    const Tensor alpha = empty(std::array{s.batch, s.steps, s.width}, log_probs.dtype(), device);
    run_ctc(queue, s, address_of(log_probs), address_of(alpha), address_of(losses));
    check_faults(queue);
    results[0] = losses;
    results[1] = alpha;
}

// grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity
void backward(Arguments a, IValue* results) {
    const Tensor log_probs = dense(a[1].to_tensor()), losses = dense(a[5].to_tensor()), alpha = dense(a[6].to_tensor());
    const Tensor grad = dense(fn::expand(a[0].to_tensor(), to_dims(losses.sizes()), false), log_probs.dtype());
    const Device device = log_probs.device();
    const Queue queue = queue_of(device);
    const Paths paths(log_probs, a[2].to_tensor(), lengths_of(a[3]), lengths_of(a[4]), a[7].to_int());
    const Tensor beta = empty(alpha.sizes(), alpha.dtype(), device);
    const Tensor out = empty(log_probs.sizes(), log_probs.dtype(), device);
    run_ctc_gradient(queue, paths.shape, a[8].to_bool(), address_of(grad), address_of(log_probs), address_of(losses),
                     address_of(alpha), address_of(beta), address_of(out));
    results[0] = out;
}

// Calls that the host refuses, with its words, go there. kFirst: the place of log_probs.
template <std::size_t kFirst>
bool takes_paths(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor log_probs = a[kFirst].to_tensor(), targets = a[kFirst + 1].to_tensor();
    const auto fits = [&] {
        const bool is_wide = log_probs.dtype() == ScalarType::Float32 || log_probs.dtype() == ScalarType::Float64;
        if (!is_wide || log_probs.dim() != 3 || log_probs.numel() == 0) return false;
        if (targets.dtype() != ScalarType::Int64 && targets.dtype() != ScalarType::Int32) return false;
        if (targets.dim() != 1 && targets.dim() != 2) return false;
        const Dims inputs = lengths_of(a[kFirst + 2]), lengths = lengths_of(a[kFirst + 3]);
        const auto batch = static_cast<std::size_t>(log_probs.size(1));
        if (inputs.size() != batch || lengths.size() != batch) return false;
        std::int64_t total = 0, longest = 0;
        for (const std::int64_t length : lengths) {
            if (length < 0) return false;
            total += length;
            longest = std::max(longest, length);
        }
        const bool holds = targets.dim() == 1 ? targets.size(0) == total
                                              : targets.size(0) == log_probs.size(1) && targets.size(1) >= longest;
        return holds && std::ranges::all_of(inputs, [&](std::int64_t n) { return n >= 0 && n <= log_probs.size(0); });
    };
    const std::int64_t blank = a[kFirst == 0 ? 4 : 7].to_int();
    const bool is_taken = fits() && blank >= 0 && blank < log_probs.size(2);
    if (!is_taken && why != nullptr) *why = "arguments that do not fit";
    return is_taken;
}

}  // namespace

void register_ctc(const Registration& to) {
    to.add("aten::_ctc_loss", &forward, takes_paths<0>);
    to.add("aten::_ctc_loss.Tensor", &forward, takes_paths<0>);
    to.add("aten::_ctc_loss_backward", &backward, takes_paths<1>);
    to.add("aten::_ctc_loss_backward.Tensor", &backward, takes_paths<1>);
}

}  // namespace loupe::cuda
