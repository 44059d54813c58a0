// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/distributed/backend.h"
#include "plugins/gloo/rendezvous.h"

namespace loupe::gloo_plugin {

class Worker;

// Gloo's collectives return when they are done: a thread runs those of a communicator one after the other.
class GlooCommunicator final : public distributed::Communicator {
  public:
    // ranks: of the program, this process among them. name: of the connections, the same for all of them.
    GlooCommunicator(Rendezvous& rendezvous, std::string name, std::vector<int> ranks);
    ~GlooCommunicator() override;
    int rank() const override;
    int size() const override { return static_cast<int>(ranks_.size()); }
    std::unique_ptr<distributed::Request> start(const distributed::Transfer& transfer) override;
    std::unique_ptr<distributed::Communicator> split(int colour) override;

  private:
    Rendezvous& rendezvous_;
    const std::string name_;
    const std::vector<int> ranks_;
    std::shared_ptr<gloo::Context> context_;
    std::shared_ptr<Worker> worker_;
    int splits_ = 0;
};

}  // namespace loupe::gloo_plugin
