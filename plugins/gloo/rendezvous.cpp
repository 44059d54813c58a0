// SPDX-License-Identifier: Apache-2.0
#include "plugins/gloo/rendezvous.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::gloo_plugin {
namespace {

using namespace std::chrono_literals;
using Deadline = std::chrono::steady_clock::time_point;

constexpr auto kPatience = 30s;
// Ranks that hang are found by the engine, which asks them; Gloo is to wait.
constexpr auto kNever = std::chrono::hours(24 * 30);

Deadline deadline() { return std::chrono::steady_clock::now() + kPatience; }

// The store as Gloo asks it, under a prefix.
class PrefixedStore final : public gloo::rendezvous::Store {
  public:
    PrefixedStore(StoreClient& store, std::string prefix) : store_(store), prefix_(std::move(prefix)) {}
    void set(const std::string& key, const std::vector<char>& data) override { store_.set(prefix_ + key, data); }
    std::vector<char> get(const std::string& key) override {
        wait({key});
        return store_.get(prefix_ + key);
    }
    void wait(const std::vector<std::string>& keys) override { wait(keys, kPatience); }
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
        std::vector<std::string> own;
        for (const std::string& key : keys) own.push_back(prefix_ + key);
        const auto most = std::min<std::chrono::milliseconds>(timeout, kPatience);
        if (!store_.wait(own, std::chrono::steady_clock::now() + most))
            throw Error(ErrorKind::Run, "a rank has not connected to the others in 30 seconds");
    }

  private:
    StoreClient& store_;
    const std::string prefix_;
};

bool is_true(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && std::strcmp(value, "True") == 0;
}

// Each start of the program has keys of its own: the agent's store stays.
std::string attempt() {
    const char* count = std::getenv("TORCHELASTIC_RESTART_COUNT");
    return concat("tensorloupe/", count == nullptr ? "0" : count, "/");
}

std::shared_ptr<gloo::transport::Device> make_device(const StoreClient& store) {
    gloo::transport::tcp::attr attributes;
    const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
    if (interface != nullptr && *interface != '\0')
        attributes.iface = interface;
    else
        attributes.hostname = store.own_address();
    return gloo::transport::tcp::CreateDevice(attributes);
}

}  // namespace

Rendezvous::Rendezvous(const distributed::LaunchFacts& facts) : rank_(facts.rank), size_(facts.world_size) {
    if (facts.address.empty() || facts.port <= 0) {
        throw Error(
            ErrorKind::Usage,
            "the environment has RANK and WORLD_SIZE, and no MASTER_ADDR and MASTER_PORT to find the others by");
    }
    if (rank_ == 0 && !is_true("TORCHELASTIC_USE_AGENT_STORE")) server_ = std::make_unique<StoreServer>(facts.port);
    store_ = std::make_unique<StoreClient>(facts.address, facts.port, deadline());
    prefix_ = attempt();
    device_ = make_device(*store_);
    std::vector<int> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    exchange("here/", all, 0);
}

void Rendezvous::await(const std::vector<std::string>& keys, const std::vector<int>& ranks) {
    if (store_->wait(keys, deadline())) return;
    std::vector<int> missing;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!store_->has({keys[i]})) missing.push_back(ranks[i]);
    }
    if (missing.empty()) return;
    throw Error(ErrorKind::Run, concat(missing.size() == 1 ? "rank " : "ranks ", join(missing, ", "), " of ", size_,
                                       missing.size() == 1 ? " has" : " have", " not come in 30 seconds"));
}

std::vector<int> Rendezvous::exchange(const std::string& name, const std::vector<int>& ranks, int value) {
    std::vector<std::string> keys;
    for (const int rank : ranks) keys.push_back(concat(prefix_, name, rank));
    const std::string text = std::to_string(value);
    store_->set(concat(prefix_, name, rank_), {text.begin(), text.end()});
    await(keys, ranks);
    std::vector<int> out;
    for (const std::string& key : keys) {
        const std::vector<char> said = store_->get(key);
        out.push_back(std::atoi(std::string(said.begin(), said.end()).c_str()));
    }
    return out;
}

std::shared_ptr<gloo::Context> Rendezvous::connect(const std::string& name, const std::vector<int>& ranks) {
    const auto place = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
    auto context = std::make_shared<gloo::rendezvous::Context>(static_cast<int>(place), static_cast<int>(ranks.size()));
    context->setTimeout(kPatience);
    PrefixedStore store(*store_, concat(prefix_, name, "/"));
    try {
        context->connectFullMesh(store, device_);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw Error(ErrorKind::Run, concat("the ranks do not connect with each other: ", error.what()));
    }
    context->setTimeout(kNever);
    return context;
}

}  // namespace loupe::gloo_plugin
