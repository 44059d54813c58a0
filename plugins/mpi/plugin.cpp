// SPDX-License-Identifier: Apache-2.0
// Ranks that mpirun or srun started, over MPI.

#include <mpi.h>

#include "core/base/error.h"
#include "core/plugin/plugin.h"
#include "plugins/mpi/communicator.h"
#include "plugins/mpi/mailbox.h"
#include "plugins/mpi/types.h"

namespace {

using namespace loupe;

class MpiBackend final : public distributed::Backend {
  public:
    const char* name() const override { return "mpi"; }
    bool joins(const distributed::LaunchFacts& facts) const override {
        return facts.launcher == distributed::Launcher::Mpirun || facts.launcher == distributed::Launcher::Srun;
    }
    std::unique_ptr<distributed::Communicator> join(const distributed::LaunchFacts&) override {
        int level = MPI_THREAD_SINGLE;
        mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
        if (level < MPI_THREAD_FUNNELED) throw Error(ErrorKind::Run, "this MPI is not made for programs with threads");
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        mpi::check(MPI_Comm_dup(MPI_COMM_WORLD, &letters_), "MPI_Comm_dup");
        MPI_Comm world = MPI_COMM_NULL;
        mpi::check(MPI_Comm_dup(MPI_COMM_WORLD, &world), "MPI_Comm_dup");
        return std::make_unique<mpi::MpiCommunicator>(world);
    }
    std::unique_ptr<distributed::Mailbox> open_mailbox() override {
        return std::make_unique<mpi::MpiMailbox>(letters_);
    }
    void leave() override { mpi::check(MPI_Finalize(), "MPI_Finalize"); }
    // The launcher ends the others when this process does not finalise.
    void abort(int) override {}

  private:
    MPI_Comm letters_ = MPI_COMM_NULL;
};

void register_all(const PluginRegistries& registries) {
    static MpiBackend backend;
    registries.add_backend(backend);
}

const PluginTable table{.name = "mpi",
                        .description = "Programs on many ranks, which mpirun or srun starts, over MPI.",
                        .needs = "MPI 3",
                        .register_all = register_all};

}  // namespace

LOUPE_PLUGIN_EXPORT const PluginTable* loupe_plugin() { return &table; }
