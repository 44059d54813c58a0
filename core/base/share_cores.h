// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// For a process with threads that need a core beside those that compute, as a window's: on a machine of few cores, threads
// that wait for a parallel region sleep soon instead of spinning for milliseconds on a core that another thread of the
// region waits for. Once is enough; for good.
void share_cores();

}  // namespace loupe
