// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of row loops: what a pass adds up of a row, what is made of it when the row is over, and an element of the
// result. Names end in the number of the step's first value: largest7, sum7.

#include <string>
#include <vector>

#include "plugins/cuda/fuser/row_steps.h"

namespace loupe::cuda {

struct RowTexts {
    const runtime::FusedStep& step;
    const RowStep& place;
    std::vector<std::string> operands;  // as the step sees them
    std::string length;                 // of a row

    // Before a pass of the step's (0 or 1): where it adds up.
    std::vector<std::string> begin(int pass) const;
    // Of an element, at place `i + k` of the row.
    std::vector<std::string> fold(int pass) const;
    // After the pass: what all threads have.
    std::vector<std::string> end(int pass) const;
    // A result of the step (0: its first), an element or one for the row, in the step's type.
    std::string result(std::size_t which) const;
    // What an element adds to a result that is a sum over the rows.
    std::string part_of_sum(std::size_t which) const;

  private:
    std::string name(const char* what) const;
    std::string type() const;
    bool has_weight() const;
    bool has_bias() const;
    std::string weighted_gradient() const;
    std::string parameter() const;
    std::string functor() const;
};

}  // namespace loupe::cuda
