// SPDX-License-Identifier: Apache-2.0
// out= forms of operators that make tensors, whose dtype is then the target's.

#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_form.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// Calls the operator of that name with the first arguments given, in the dtype of the last, and writes there.
template <detail::OperatorName kName, std::size_t kGiven>
void made_into(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    const Tensor out = arguments.back().to_tensor();
    std::vector<IValue> all(arguments.begin(), arguments.begin() + kGiven);
    detail::fill_default_arguments(target, all);
    for (std::size_t i = kGiven; i < all.size(); ++i) {
        if (target.schema.arguments[i].name == "dtype") all[i] = static_cast<std::int64_t>(out.dtype());
    }
    IValue made;
    call_operator(target, all, &made);
    put_into(out, made.to_tensor());
    results[0] = out;
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kEmptyNotFinite[] = {
    {In::Forward, When::Unwritten, 0, "memory that nothing has written yet",
     "write all of it before it is read, or use torch.zeros"},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::zeros.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as zeros, into a tensor.",
     .composite = made_into<"aten::zeros", 1>},
    {.schema = "aten::ones.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as ones, into a tensor.",
     .composite = made_into<"aten::ones", 1>},
    {.schema = "aten::full.out(SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as full, into a tensor.",
     .composite = made_into<"aten::full", 2>},
    {.schema = "aten::empty.out(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as empty, into a tensor.",
     .composite = made_into<"aten::empty.memory_format", 1>,
     .not_finite = kEmptyNotFinite},
    {.schema = "aten::empty_strided.out(SymInt[] size, SymInt[] stride, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as empty_strided, into a tensor.",
     .composite = made_into<"aten::empty_strided", 2>,
     .not_finite = kEmptyNotFinite},
    {.schema = "aten::arange.out(Scalar end, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as arange, into a tensor.",
     .composite = made_into<"aten::arange", 1>},
    {.schema = "aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as arange, into a tensor.",
     .composite = made_into<"aten::arange.start_step", 3>},
    {.schema = "aten::linspace.out(Scalar start, Scalar end, int steps, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as linspace, into a tensor.",
     .composite = made_into<"aten::linspace", 3>},
    {.schema =
         "aten::logspace.out(Scalar start, Scalar end, int steps, float base=10., *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as logspace, into a tensor.",
     .composite = made_into<"aten::logspace", 4>},
    {.schema = "aten::eye.out(int n, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as eye, into a tensor.",
     .composite = made_into<"aten::eye", 1>},
    {.schema = "aten::eye.m_out(int n, int m, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as eye, into a tensor.",
     .composite = made_into<"aten::eye.m", 2>},
    {.schema = "aten::rand.out(int[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as rand, into a tensor.",
     .composite = made_into<"aten::rand", 1>,
     .is_random = true},
    {.schema = "aten::randn.out(int[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as randn, into a tensor.",
     .composite = made_into<"aten::randn", 1>,
     .is_random = true},
    {.schema = "aten::randint.out(int high, int[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as randint, into a tensor.",
     .composite = made_into<"aten::randint", 2>,
     .is_random = true},
    {.schema = "aten::randint.low_out(int low, int high, int[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as randint, into a tensor.",
     .composite = made_into<"aten::randint.low", 3>,
     .is_random = true},
    {.schema = "aten::randperm.out(int n, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as randperm, into a tensor.",
     .composite = made_into<"aten::randperm", 1>,
     .is_random = true},
    {.schema = "aten::range.out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as range, into a tensor.",
     .composite = made_into<"aten::range.step", 3>},
    {.schema = "aten::range.out_(Scalar start, Scalar end, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as range, into a tensor.",
     .composite = made_into<"aten::range", 2>},
    {.schema = "aten::scalar_tensor.out(Scalar s, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as scalar_tensor, into a tensor.",
     .composite = made_into<"aten::scalar_tensor", 1>},
    {.schema = "aten::new_zeros.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as new_zeros, into a tensor.",
     .composite = made_into<"aten::new_zeros", 2>},
    {.schema = "aten::new_ones.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as new_ones, into a tensor.",
     .composite = made_into<"aten::new_ones", 2>},
    {.schema = "aten::new_empty.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as new_empty, into a tensor.",
     .composite = made_into<"aten::new_empty", 2>},
    {.schema = "aten::new_full.out(Tensor self, SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as new_full, into a tensor.",
     .composite = made_into<"aten::new_full", 3>},
    {.schema =
         "aten::new_empty_strided.out(Tensor self, SymInt[] size, SymInt[] stride, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as new_empty_strided, into a tensor.",
     .composite = made_into<"aten::new_empty_strided", 3>},
    {.schema = "aten::zeros_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as zeros_like, into a tensor.",
     .composite = made_into<"aten::zeros_like", 1>},
    {.schema = "aten::ones_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as ones_like, into a tensor.",
     .composite = made_into<"aten::ones_like", 1>},
    {.schema = "aten::empty_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as empty_like, into a tensor.",
     .composite = made_into<"aten::empty_like", 1>},
    {.schema = "aten::full_like.out(Tensor self, Scalar fill_value, *, MemoryFormat? memory_format=None, Tensor(a!) "
               "out) -> Tensor(a!)",
     .summary = "The same as full_like, into a tensor.",
     .composite = made_into<"aten::full_like", 2>},
    {.schema = "aten::rand_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as rand_like, into a tensor.",
     .composite = made_into<"aten::rand_like", 1>,
     .is_random = true},
    {.schema = "aten::randn_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as randn_like, into a tensor.",
     .composite = made_into<"aten::randn_like", 1>,
     .is_random = true},
    {.schema = "aten::tril_indices.out(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as tril_indices, into a tensor.",
     .composite = made_into<"aten::tril_indices", 3>},
    {.schema = "aten::triu_indices.out(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)",
     .summary = "The same as triu_indices, into a tensor.",
     .composite = made_into<"aten::triu_indices", 3>},
    {.schema = "aten::rand.generator_out(int[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)",
     .summary = "rand into a tensor.",
     .composite = made_into<"aten::rand.generator", 2>,
     .is_random = true},
    {.schema = "aten::randn.generator_out(int[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)",
     .summary = "randn into a tensor.",
     .composite = made_into<"aten::randn.generator", 2>,
     .is_random = true},
    {.schema =
         "aten::randint.generator_out(int high, int[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)",
     .summary = "randint into a tensor.",
     .composite = made_into<"aten::randint.generator", 3>,
     .is_random = true},
    {.schema = "aten::randint.low_generator_out(int low, int high, int[] size, *, Generator? generator, Tensor(a!) "
               "out) -> Tensor(a!)",
     .summary = "randint into a tensor.",
     .composite = made_into<"aten::randint.low_generator", 4>,
     .is_random = true},
    {.schema = "aten::randperm.generator_out(int n, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)",
     .summary = "randperm into a tensor.",
     .composite = made_into<"aten::randperm.generator", 2>,
     .is_random = true},
    {.schema = "aten::randint_like.out(Tensor self, int high, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> "
               "Tensor(a!)",
     .summary = "randint_like into a tensor.",
     .composite = made_into<"aten::randint_like", 2>,
     .is_random = true},
    {.schema = "aten::randint_like.low_dtype_out(Tensor self, int low, int high, *, MemoryFormat? memory_format=None, "
               "Tensor(a!) out) -> Tensor(a!)",
     .summary = "randint_like into a tensor.",
     .composite = made_into<"aten::randint_like.low_dtype", 3>,
     .is_random = true},
    {.schema = "aten::normal.float_float_out(float mean, float std, int[] size, *, Generator? generator=None, "
               "Tensor(a!) out) -> Tensor(a!)",
     .summary = "normal into a tensor.",
     .composite = made_into<"aten::normal.float_float", 4>,
     .is_random = true},
};

}  // namespace

std::span<const OperatorRecord> creation_out_records() { return kRecords; }

}  // namespace loupe::composed
