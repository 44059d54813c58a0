// SPDX-License-Identifier: Apache-2.0
// Assertions and questions about tensors.

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/composed/composite.h"
#include "core/ops/composed/family.h"

namespace loupe::composed {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw Error(ErrorKind::Run, what);
}

void assert_nonzero(Arguments arguments, IValue*) {
    const Tensor self = arguments[0].to_tensor();
    require(self.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
    require(self.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
    require(fn::is_nonzero(self), "Expected Tensor with single nonzero value, but got zero");
}

void assert_metadata(Arguments arguments, IValue*) {
    const Tensor a = arguments[0].to_tensor();
    const auto matches = [](const IValue& wanted, IntSpan have) {
        if (wanted.is_none()) return true;
        const Dims values = wanted.to_ints();
        return std::equal(values.begin(), values.end(), have.begin(), have.end());
    };
    require(matches(arguments[1], a.sizes()), "Tensor sizes mismatch!");
    require(matches(arguments[2], a.strides()), "Tensor strides mismatch!");
    require(arguments[3].is_none() || arguments[3].to_int() == static_cast<std::int64_t>(a.dtype()),
            "Tensor dtype mismatch!");
}

// 1: some elements share a memory location; 0: none do; 2: undecided.
std::int64_t internal_overlap(const Tensor& self) {
    if (self.is_non_overlapping_and_dense()) return 0;
    for (std::int64_t d = 0; d < self.dim(); ++d) {
        if (self.size(d) > 1 && self.stride(d) == 0) return 1;
    }
    return 2;
}

bool is_zero_tensor(const Tensor&) { return false; }

bool equal_lists(const TensorList& a, const TensorList& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!fn::is_nonzero(fn::eq(a[i], b[i]))) return false;
    }
    return true;
}

bool unequal_lists(const TensorList& a, const TensorList& b) { return !equal_lists(a, b); }

constexpr OperatorRecord kRecords[] = {
    composite("aten::_assert_async(Tensor self) -> ()", "Fails for zero.", assert_nonzero),
    composite(
        "aten::_assert_tensor_metadata(Tensor a, int[]? size=None, int[]? stride=None, ScalarType? dtype=None) -> ()",
        "Fails for other metadata.", assert_metadata),
    composite("aten::_is_zerotensor(Tensor self) -> bool", "Is it zeros without memory? No tensor is.",
              boxed<is_zero_tensor>),
    composite("aten::_debug_has_internal_overlap(Tensor self) -> int",
              "Do elements share memory? 0 no, 1 yes, 2 hard to say.", boxed<internal_overlap>),
    composite("aten::eq.Tensor_list(Tensor[] a, Tensor[] b) -> bool", "Are tensors of one element equal, each to each?",
              boxed<equal_lists>),
    composite("aten::ne.Tensor_list(Tensor[] a, Tensor[] b) -> bool", "Is some tensor of one element another?",
              boxed<unequal_lists>),
};

}  // namespace

std::span<const OperatorRecord> assertion_records() { return kRecords; }

}  // namespace loupe::composed
