// SPDX-License-Identifier: Apache-2.0
// Operators that make tensors, with names of dimensions, which must be None; and zeros under another name.

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

// An operator without the argument `names`, which must be None: dimensions have no names here.
template <detail::OperatorName kName, std::size_t kNames>
void unnamed(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    if (!arguments[kNames].is_none())
        throw Error(ErrorKind::Unsupported, "tensors with named dimensions are not supported");
    std::vector<IValue> all;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i != kNames) all.push_back(arguments[i]);
    }
    call_operator(target, all, results);
}

#define LOUPE_OPTIONS "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr OperatorRecord kRecords[] = {
    composite("aten::_efficientzerotensor(int[] size, *, " LOUPE_OPTIONS ") -> Tensor", "The same as zeros.",
              forward<"aten::zeros">),
    composite("aten::zeros.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor", "The same as zeros.",
              unnamed<"aten::zeros", 1>),
    composite("aten::ones.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor", "The same as ones.",
              unnamed<"aten::ones", 1>),
    composite("aten::full.names(int[] size, Scalar fill_value, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor",
              "The same as full.", unnamed<"aten::full", 2>),
    composite("aten::empty.names(int[] size, *, str[]? names, " LOUPE_OPTIONS
              ", MemoryFormat? memory_format=None) -> Tensor",
              "The same as empty.", unnamed<"aten::empty.memory_format", 1>),
    {.schema = "aten::rand.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor",
     .summary = "The same as rand.",
     .composite = unnamed<"aten::rand", 1>,
     .is_random = true},
    {.schema = "aten::randn.names(int[] size, *, str[]? names, " LOUPE_OPTIONS ") -> Tensor",
     .summary = "The same as randn.",
     .composite = unnamed<"aten::randn", 1>,
     .is_random = true},
};

#undef LOUPE_OPTIONS

}  // namespace

std::span<const OperatorRecord> named_creation_records() { return kRecords; }

}  // namespace loupe::composed
