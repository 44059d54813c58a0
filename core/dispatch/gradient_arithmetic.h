// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// Gives the backward engine its additions and copies; the registry does it when it fills.
void install_gradient_arithmetic();

}  // namespace loupe
