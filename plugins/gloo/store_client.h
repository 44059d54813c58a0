// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace loupe::gloo_plugin {

// A connection to a store of keys and values. Used by one thread.
class StoreClient {
  public:
    // Tries until the deadline. Throws Error (Run) when no store answers there.
    StoreClient(const std::string& host, int port, std::chrono::steady_clock::time_point deadline);
    StoreClient(const StoreClient&) = delete;
    StoreClient& operator=(const StoreClient&) = delete;
    ~StoreClient();

    void set(const std::string& key, const std::vector<char>& value);
    // Of a key that is there.
    std::vector<char> get(const std::string& key);
    bool has(const std::vector<std::string>& keys);
    // False: not all are there at the deadline.
    bool wait(const std::vector<std::string>& keys, std::chrono::steady_clock::time_point deadline);
    // This end's address on the way to the store: where others reach this process.
    std::string own_address() const;

  private:
    void send_all(const std::string& bytes);
    void read_all(void* to, std::size_t count);
    std::string place() const;

    const std::string host_;
    const int port_;
    int socket_ = -1;
};

}  // namespace loupe::gloo_plugin
