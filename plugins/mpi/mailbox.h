// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <list>

#include "core/distributed/backend.h"

namespace loupe::mpi {

// Letters over a communicator of their own: a tag is a box.
class MpiMailbox final : public distributed::Mailbox {
  public:
    explicit MpiMailbox(MPI_Comm comm) : comm_(comm) {}
    void post(int rank, int box, std::string bytes) override;
    std::optional<distributed::Letter> take(int box) override;

  private:
    struct Sent {
        std::string bytes;
        MPI_Request request = MPI_REQUEST_NULL;
    };
    void let_go();

    MPI_Comm comm_;
    std::list<Sent> sent_;  // MPI reads from it until it is delivered
};

}  // namespace loupe::mpi
