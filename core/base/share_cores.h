// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe {

// For every program, first in main():
//   Threads that wait for a parallel region spin for some microseconds and then sleep, instead of spinning for
//   milliseconds on a core that another thread of the region, the window or another program waits for. An environment
//   that sets the wait policy is left as it is.
//   OpenBLAS starts no threads, each of which takes 128 MiB of address space and hangs the program at exit when it
//   finds none.
// Libraries read their environment before main(): the program executes itself again, once.
void share_cores(char** arguments);

}  // namespace loupe
