// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// Does this thread's backward pass accumulate into all leaves, not chosen inputs only? True outside of one.
bool is_whole_backward();

}  // namespace loupe
