// SPDX-License-Identifier: Apache-2.0
// New tensors of random numbers: the operators that draw in place, on a tensor like their first argument.

#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_form.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// Draws into a new tensor like the first argument, with the in-place operator of that name.
template <detail::OperatorName kName>
void drawn(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    std::vector<IValue> all(arguments.begin(), arguments.end());
    all[0] = fn::empty_like(arguments[0].to_tensor());
    call_operator(target, all, results);
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor",
     .summary = "uniform_ on a new tensor.",
     .composite = drawn<"aten::uniform_">,
     .variants = kOut,
     .is_random = true},
    {.schema =
         "aten::normal_functional(Tensor self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor",
     .summary = "normal_ on a new tensor.",
     .composite = drawn<"aten::normal_">,
     .is_random = true},
    {.schema = "aten::exponential(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor",
     .summary = "exponential_ on a new tensor.",
     .composite = drawn<"aten::exponential_">,
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor",
     .summary = "geometric_ on a new tensor.",
     .composite = drawn<"aten::geometric_">,
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor",
     .summary = "log_normal_ on a new tensor.",
     .composite = drawn<"aten::log_normal_">,
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::cauchy(Tensor self, float median=0., float sigma=1., *, Generator? generator=None) -> Tensor",
     .summary = "cauchy_ on a new tensor.",
     .composite = drawn<"aten::cauchy_">,
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::random(Tensor self, *, Generator? generator=None) -> Tensor",
     .summary = "random_ on a new tensor.",
     .composite = drawn<"aten::random_">,
     .variants = kOut,
     .is_random = true},
    {.schema = "aten::random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor",
     .summary = "random_ on a new tensor.",
     .composite = drawn<"aten::random_.from">,
     .variants = kOut,
     .out = {.overload = "from_out"},
     .is_random = true},
    {.schema = "aten::random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor",
     .summary = "random_ on a new tensor.",
     .composite = drawn<"aten::random_.to">,
     .variants = kOut,
     .out = {.overload = "to_out"},
     .is_random = true},
    {.schema = "aten::normal.out(Tensor self, float mean=0., float std=1., *, Generator? generator=None, Tensor(a!) "
               "out) -> Tensor(a!)",
     .summary = "normal_ into a tensor.",
     .composite = into_out<drawn<"aten::normal_">>,
     .is_random = true},
};

}  // namespace

std::span<const OperatorRecord> new_random_records() { return kRecords; }

}  // namespace loupe::composed
