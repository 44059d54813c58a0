// SPDX-License-Identifier: Apache-2.0
#pragma once
// out= forms of operators whose kernels make their results themselves: the operator runs, and its results are copied.

#include <span>
#include <string_view>

namespace loupe {

struct OutForm {
    std::string_view of;        // "aten::cat"
    std::string_view overload;  // "out"
    std::string_view names;     // of the tensors to write to, spaces between them
};
// Forms that a record's own `variants` do not give.
std::span<const OutForm> out_form_table();

}  // namespace loupe
