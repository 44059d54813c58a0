// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/launch_facts.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::distributed {
namespace {

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

int number(const char* name, int otherwise) {
    const char* text = variable(name);
    if (text == nullptr) return otherwise;
    int value = 0;
    const char* end = text + std::strlen(text);
    const auto [last, failure] = std::from_chars(text, end, value);
    if (failure != std::errc() || last != end || value < 0)
        throw Error(ErrorKind::Usage, concat("the environment has ", name, "=", text, ", which is no number"));
    return value;
}

LaunchFacts of_variables(Launcher launcher, const char* rank, const char* size, const char* local_rank,
                         const char* local_size) {
    LaunchFacts facts;
    facts.launcher = launcher;
    facts.rank = number(rank, 0);
    facts.world_size = number(size, 1);
    facts.local_rank = number(local_rank, facts.rank);
    facts.local_size = number(local_size, facts.world_size);
    if (facts.rank >= facts.world_size) {
        throw Error(ErrorKind::Usage, concat("the environment has ", rank, "=", facts.rank, " and ", size, "=",
                                             facts.world_size, ": ranks are below the world size"));
    }
    return facts;
}

}  // namespace

LaunchFacts read_launch_facts() {
    if (variable("OMPI_COMM_WORLD_RANK") != nullptr) {
        LaunchFacts facts = of_variables(Launcher::Mpirun, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                         "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
        if (const char* id = variable("PMIX_NAMESPACE")) facts.program = id;
        return facts;
    }
    if (variable("RANK") != nullptr && variable("WORLD_SIZE") != nullptr) {
        LaunchFacts facts = of_variables(Launcher::Torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE");
        if (const char* address = variable("MASTER_ADDR")) facts.address = address;
        facts.port = number("MASTER_PORT", 0);
        facts.program = concat(facts.address, ":", facts.port);
        return facts;
    }
    if (variable("SLURM_PROCID") != nullptr && variable("SLURM_STEP_NUM_TASKS") != nullptr &&
        (variable("PMIX_RANK") != nullptr || variable("PMI_RANK") != nullptr)) {
        LaunchFacts facts = of_variables(Launcher::Srun, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
                                         "SLURM_NTASKS_PER_NODE");
        if (const char* id = variable("SLURM_JOB_ID")) facts.program = id;
        return facts;
    }
    return {};
}

}  // namespace loupe::distributed
