// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operator reference: pages of Markdown made from the operators' records, one a family.

#include <string>
#include <vector>

namespace loupe::session {

struct ReferencePage {
    std::string name;      // "operators_pointwise": the file's name without ".md"
    std::string title;     // "Operators: pointwise"
    std::string markdown;  // a heading, and a table with a row an operator: schema, sentence, gradients, kernels
};

// In the families' alphabetical order. In-place and out= forms stand in the row of their operator.
std::vector<ReferencePage> operator_reference();

}  // namespace loupe::session
