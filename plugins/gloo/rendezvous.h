// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gloo/context.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/distributed/launch_facts.h"
#include "plugins/gloo/store_client.h"
#include "plugins/gloo/store_server.h"

namespace gloo::transport {
class Device;
}

namespace loupe::gloo_plugin {

// Where the ranks of a program find each other: a store at MASTER_ADDR:MASTER_PORT, which torchrun's agent serves, or
// rank 0 does. Used by one thread.
class Rendezvous {
  public:
    // Returns when all ranks have come. Throws Error (Run) naming those that have not in 30 seconds.
    explicit Rendezvous(const distributed::LaunchFacts& facts);

    int rank() const { return rank_; }
    int size() const { return size_; }
    // Connects the ranks (of the program, in order) with each other; all of them call it with the same name, which is
    // used once. Throws Error (Run).
    std::shared_ptr<gloo::Context> connect(const std::string& name, const std::vector<int>& ranks);
    // What each of the ranks says, in their order; the name is used once.
    std::vector<int> exchange(const std::string& name, const std::vector<int>& ranks, int value);

  private:
    void await(const std::vector<std::string>& keys, const std::vector<int>& ranks);

    const int rank_;
    const int size_;
    std::string prefix_;
    std::unique_ptr<StoreServer> server_;
    std::unique_ptr<StoreClient> store_;
    std::shared_ptr<gloo::transport::Device> device_;
};

}  // namespace loupe::gloo_plugin
