// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace loupe::exported {

// The class as Python names it: "torch.nn.modules.linear.Linear" of "__torch__.torch.nn.modules.linear.Linear".
std::string python_class(const std::string& qualified);

}  // namespace loupe::exported
