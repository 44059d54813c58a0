// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/solo.h"

#include <cstring>

#include "core/base/error.h"

namespace loupe::distributed {
namespace {

class DoneRequest final : public Request {
  public:
    bool test() override { return true; }
};

class SoloCommunicator final : public Communicator {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::unique_ptr<Request> start(const Transfer& t) override {
        if (t.kind == TransferKind::Send || t.kind == TransferKind::Receive)
            throw Error(ErrorKind::Run, "a message to or from the only rank");
        std::size_t count = t.count;
        if (t.kind == TransferKind::AllToAll) count = t.send_counts.empty() ? 0 : t.send_counts.front();
        if (t.send != nullptr && t.receive != nullptr && t.send != t.receive && count > 0)
            std::memcpy(t.receive, t.send, count * static_cast<std::size_t>(element_size(t.dtype)));
        return std::make_unique<DoneRequest>();
    }
    std::unique_ptr<Communicator> split(int colour) override {
        return colour < 0 ? nullptr : std::make_unique<SoloCommunicator>();
    }
};

class NoMailbox final : public Mailbox {
  public:
    void post(int, int, std::string) override {}
    std::optional<Letter> take(int) override { return std::nullopt; }
};

class SoloBackend final : public Backend {
  public:
    const char* name() const override { return "solo"; }
    bool joins(const LaunchFacts& facts) const override { return facts.world_size == 1; }
    std::unique_ptr<Communicator> join(const LaunchFacts&) override { return std::make_unique<SoloCommunicator>(); }
    std::unique_ptr<Mailbox> open_mailbox() override { return std::make_unique<NoMailbox>(); }
    void leave() override {}
    void abort(int) override {}
};

}  // namespace

Backend& solo_backend() {
    static SoloBackend backend;
    return backend;
}

}  // namespace loupe::distributed
