// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work that runs on a device as on the host: layouts, sizes and edges that the operators' samples have not.

#include <functional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::device_cases {

using Work = std::function<TensorList(const TensorList&)>;

struct Case {
    std::string name;
    TensorList inputs;
    Work work;
    double tolerance = 2e-5;
};

std::vector<Case> products();
std::vector<Case> convolutions();
std::vector<Case> arrangements();
std::vector<Case> pools();
std::vector<Case> systems();
std::vector<Case> factorizations();
std::vector<Case> wide_heads();
std::vector<Case> packed_weights();
// All of them.
std::vector<Case> cases();

}  // namespace loupe::device_cases
