// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

namespace loupe::gloo_plugin {

// Rank 0's store of keys and values, where the launcher has none: a thread that answers until it is destroyed.
class StoreServer {
  public:
    // Throws Error (Run) when the port is taken.
    explicit StoreServer(int port);
    StoreServer(const StoreServer&) = delete;
    StoreServer& operator=(const StoreServer&) = delete;
    ~StoreServer();

  private:
    struct Client {
        int socket = -1;
        std::string received, answers;
    };
    void run();
    enum class Taken { Whole, Part, Wrong };
    // The next query of what has come; Part: not all of it is there.
    Taken take_query(Client& client);
    // False: the connection is to be closed.
    bool read_from(Client& client);
    bool answer(Client& client);

    int listener_ = -1;
    int stop_[2] = {-1, -1};
    std::map<std::string, std::string> values_;
    std::thread thread_;
};

}  // namespace loupe::gloo_plugin
