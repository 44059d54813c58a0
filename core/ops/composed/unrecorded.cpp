// SPDX-License-Identifier: Apache-2.0
// Initialisers that autograd does not record.

#include "core/autograd/grad_mode.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// The in-place operator of that name, not recorded: what torch.nn.init calls in compiled code.
template <detail::OperatorName kName>
void unrecorded(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    std::vector<IValue> all(arguments.begin(), arguments.end());
    detail::fill_default_arguments(target, all);
    const GradModeScope off(false);
    call_operator(target, all, results);
}

constexpr OperatorRecord kRecords[] = {
    composite("aten::_no_grad_uniform_(Tensor(a!) tensor, float a, float b) -> Tensor(a!)", "uniform_, not recorded.",
              unrecorded<"aten::uniform_">),
    composite("aten::_no_grad_normal_(Tensor(a!) tensor, float mean, float std) -> Tensor(a!)",
              "normal_, not recorded.", unrecorded<"aten::normal_">),
    composite("aten::_no_grad_fill_(Tensor(a!) tensor, float val) -> Tensor(a!)", "fill_, not recorded.",
              unrecorded<"aten::fill_.Scalar">),
    composite("aten::_no_grad_zero_(Tensor(a!) tensor) -> Tensor(a!)", "zero_, not recorded.",
              unrecorded<"aten::zero_">),
    composite(
        "aten::_no_grad_embedding_renorm_(Tensor weight, Tensor input, float max_norm, float norm_type) -> Tensor",
        "embedding_renorm_, not recorded.", unrecorded<"aten::embedding_renorm_">),
};

}  // namespace

std::span<const OperatorRecord> unrecorded_records() { return kRecords; }

}  // namespace loupe::composed
