// SPDX-License-Identifier: Apache-2.0
#pragma once
// A change by hand of a recorded value, behind an event of a run: the run goes on with what was put there.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

struct ValueChange {
    std::uint32_t behind = 0;  // the event behind which it is made
    std::uint32_t value = 0;   // in the numbers of a run that was the same up to there
    std::string slice;         // as Python slices: "[0, :, 3]"; empty: all of it
    // What is put there. TorchScript of `x`, what is there now, and `zeros`, `ones`, `mean` like it: "x * 2", "zeros",
    // "x.clamp(min=0)", "0.5"; or the path of a .npy file; or of a recording, whose value of the same number
    // is taken ("run.loupe"), or of another ("run.loupe#12"), or of a run that is
    // pinned ("reference 2 57": change_source.h); or "undo": what was there before the change that made the value.
    std::string formula;
};
auto fields(Like<ValueChange> auto& it) { return std::tie(it.behind, it.value, it.slice, it.formula); }

// The operator's name of the event that a change is.
inline constexpr std::string_view kChangeOperator = "tensorloupe::change";
inline constexpr std::string_view kUndo = "undo";

// What the formula gives of x, on the host, in x's dtype and sizes. Throws Error (Usage) in one line: no such file,
// another shape, a dtype that x's cannot hold, text that is no expression.
Tensor changed_elements(const Tensor& x, const ValueChange& change);
// Overwrites elements of the tensor, on any device. Its version stays: the numbers are other ones, the program that
// reads them is the same. now: of the sizes and dtype of the slice.
void overwrite(const Tensor& t, std::string_view slice, const Tensor& now);

}  // namespace loupe::session
