// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// Does the backward pass that runs on this thread go to all leaves, not to chosen inputs only? True outside of one.
bool is_whole_backward();

}  // namespace loupe
