// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a launcher (mpirun, srun, torchrun) says to a process that it starts: variables of the environment.

#include <string>

namespace loupe::distributed {

enum class Launcher { None, Mpirun, Srun, Torchrun };

struct LaunchFacts {
    Launcher launcher = Launcher::None;
    int rank = 0;
    int world_size = 1;
    int local_rank = 0;   // on its host
    int local_size = 1;   // ranks on its host
    std::string address;  // MASTER_ADDR and MASTER_PORT, of torchrun
    int port = 0;
    std::string program;  // the same of all ranks of a run and of no other run; empty: not known
};

// Of this process. Throws Error (Usage) for variables that are no numbers, or a rank that is not below the world size.
LaunchFacts read_launch_facts();

}  // namespace loupe::distributed
