// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include "core/distributed/backend.h"

namespace loupe::mpi {

// Owns the communicator.
class MpiCommunicator final : public distributed::Communicator {
  public:
    explicit MpiCommunicator(MPI_Comm own);
    ~MpiCommunicator() override;
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::unique_ptr<distributed::Request> start(const distributed::Transfer& transfer) override;
    std::unique_ptr<distributed::Communicator> split(int colour) override;

  private:
    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace loupe::mpi
