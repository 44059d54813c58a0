// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// For a program with threads that need a core beside those that compute, as a window's: on a machine of few cores, threads
// that wait for a parallel region spin for some microseconds and then sleep, instead of spinning for milliseconds on a core
// that another thread of the region waits for. To be called first in main(): it starts the program anew, once, for libgomp
// reads its environment before that. An environment that says how to wait is left as it is.
void share_cores(char** arguments);

// For every program: OpenBLAS starts no threads of its own, of which each takes 128 MiB of address space, and waits for ever at the
// program's end for one that found none. As above, first in main(); share_cores does this too.
void leave_blas_alone(char** arguments);

}  // namespace loupe
