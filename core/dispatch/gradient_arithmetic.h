// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// Gives the backward engine its additions and copies; done when the families are listed.
void install_gradient_arithmetic();

}  // namespace loupe
