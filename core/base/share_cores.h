// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// For a program with threads that need a core beside those that compute, as a window's: on a machine of few cores,
// threads that wait for a parallel region spin for some microseconds and then sleep, instead of spinning for
// milliseconds on a core that another thread of the region waits for. To be called first in main(): it executes the
// program again, once, because libgomp reads its environment before that. An environment that sets the wait policy is
// left as it is.
void share_cores(char** arguments);

// For every program: keeps OpenBLAS from starting threads, each of which takes 128 MiB of address space and hangs the
// program at exit when it finds none. As above, first in main(); share_cores does this too.
void leave_blas_alone(char** arguments);

}  // namespace loupe
