// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/test_transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/distributed/device_transport.h"
#include "core/tensor/scalar_type.h"
#include "plugins/test_device/test_memory.h"

namespace loupe::test_device {
namespace {

using distributed::Reduction;
using distributed::Transfer;
using distributed::TransferKind;
using Bytes = std::vector<std::byte>;

constexpr auto kMeeting = std::chrono::seconds(20);

void send_all(int socket, const void* bytes, std::size_t count) {
    for (const auto* at = static_cast<const std::byte*>(bytes); count > 0;) {
        const ssize_t sent = ::send(socket, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) throw Error(ErrorKind::Run, "a rank has left the test device's transport");
        at += sent;
        count -= static_cast<std::size_t>(sent);
    }
}

void take_all(int socket, void* bytes, std::size_t count) {
    for (auto* at = static_cast<std::byte*>(bytes); count > 0;) {
        const ssize_t got = ::recv(socket, at, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw Error(ErrorKind::Run, "a rank has left the test device's transport");
        at += got;
        count -= static_cast<std::size_t>(got);
    }
}

void send_bytes(int socket, const Bytes& bytes) {
    const std::uint64_t count = bytes.size();
    send_all(socket, &count, sizeof count);
    send_all(socket, bytes.data(), bytes.size());
}

Bytes take_bytes(int socket) {
    std::uint64_t count = 0;
    take_all(socket, &count, sizeof count);
    Bytes bytes(count);
    take_all(socket, bytes.data(), bytes.size());
    return bytes;
}

std::size_t sum_of(const std::vector<std::size_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

// Each rank has put its counts before its elements.
std::vector<Bytes> sorted_out(std::size_t element, const std::vector<Bytes>& given) {
    std::vector<Bytes> got(given.size());
    for (const Bytes& each : given) {
        std::vector<std::size_t> counts(given.size());
        std::memcpy(counts.data(), each.data(), counts.size() * sizeof counts[0]);
        auto at = each.begin() + static_cast<std::ptrdiff_t>(counts.size() * sizeof counts[0]);
        for (std::size_t rank = 0; rank < got.size(); ++rank) {
            const auto bytes = static_cast<std::ptrdiff_t>(counts[rank] * element);
            got[rank].insert(got[rank].end(), at, at + bytes);
            at += bytes;
        }
    }
    return got;
}

class TestRequest final : public distributed::Request {
  public:
    explicit TestRequest(std::future<void> done) : done_(std::move(done)) {}
    bool test() override {
        if (is_done_) return true;
        if (done_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        is_done_ = true;
        done_.get();
        return true;
    }

  private:
    std::future<void> done_;
    bool is_done_ = false;
};

class TestCommunicator final : public distributed::Communicator {
  public:
    TestCommunicator(const TestMemory& memory, const std::filesystem::path& meeting, int rank, int size)
        : memory_(memory), rank_(rank), size_(size) {
        const auto until = std::chrono::steady_clock::now() + kMeeting;
        if (rank == 0)
            accept_others(meeting, until);
        else
            find_first(meeting, until);
    }
    TestCommunicator(const TestCommunicator&) = delete;
    TestCommunicator& operator=(const TestCommunicator&) = delete;
    ~TestCommunicator() override {
        for (const FileHandle& each : peers_) ::shutdown(each.get(), SHUT_RDWR);
        if (last_.valid()) last_.wait();
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::unique_ptr<distributed::Request> start(const Transfer& transfer) override {
        std::promise<void> done;
        auto request = std::make_unique<TestRequest>(done.get_future());
        last_ = std::async(std::launch::async, [this, transfer, before = last_, done = std::move(done)]() mutable {
                    if (before.valid()) before.wait();
                    try {
                        run(transfer);
                        done.set_value();
                    } catch (...) {
                        done.set_exception(std::current_exception());
                    }
                }).share();
        return request;
    }
    std::unique_ptr<distributed::Communicator> split(int /*colour*/) override {
        throw Error(ErrorKind::Internal, "the test device's transport is not split");
    }

  private:
    using Time = std::chrono::steady_clock::time_point;
    void accept_others(const std::filesystem::path& meeting, Time until);
    void find_first(const std::filesystem::path& meeting, Time until);
    void run(const Transfer& t);
    std::size_t shares_given(const Transfer& t) const;
    // What each rank gets of what each has given.
    std::vector<Bytes> exchange(const Transfer& t, const std::vector<Bytes>& given) const;

    const TestMemory& memory_;
    const int rank_;
    const int size_;
    std::vector<FileHandle> peers_;  // of rank 0 the others; of another rank 0 alone
    std::shared_future<void> last_;
};

void TestCommunicator::accept_others(const std::filesystem::path& meeting, Time until) {
    const FileHandle listener = bind_to(meeting);
    ::listen(listener.get(), size_);
    const timeval patience{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(listener.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    peers_.resize(static_cast<std::size_t>(size_ - 1));
    for (int come = 1; come < size_;) {
        FileHandle other(::accept(listener.get(), nullptr, nullptr));
        if (other.get() < 0) {
            if (std::chrono::steady_clock::now() > until)
                throw Error(ErrorKind::Run, concat(size_ - come, " of the ranks have not come"));
            continue;
        }
        int rank = 0;
        take_all(other.get(), &rank, sizeof rank);
        peers_.at(static_cast<std::size_t>(rank - 1)) = std::move(other);
        ++come;
    }
    std::filesystem::remove(meeting);
}

void TestCommunicator::find_first(const std::filesystem::path& meeting, Time until) {
    for (;;) {
        FileHandle first = connect_to(meeting);
        if (first.get() >= 0) {
            send_all(first.get(), &rank_, sizeof rank_);
            peers_.push_back(std::move(first));
            return;
        }
        if (std::chrono::steady_clock::now() > until) throw Error(ErrorKind::Run, "rank 0 has not come");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

std::size_t TestCommunicator::shares_given(const Transfer& t) const {
    if (t.kind == TransferKind::AllToAll) return sum_of(t.send_counts);
    return t.kind == TransferKind::ReduceScatter ? t.count * static_cast<std::size_t>(size_) : t.count;
}

std::vector<Bytes> TestCommunicator::exchange(const Transfer& t, const std::vector<Bytes>& given) const {
    const auto size = static_cast<std::size_t>(size_);
    if (t.kind == TransferKind::Broadcast) return std::vector<Bytes>(size, given.at(static_cast<std::size_t>(t.peer)));
    if (t.kind == TransferKind::AllGather) {
        Bytes all;
        for (const Bytes& each : given) all.insert(all.end(), each.begin(), each.end());
        return std::vector<Bytes>(size, all);
    }
    if (t.kind == TransferKind::AllToAll) return sorted_out(static_cast<std::size_t>(element_size(t.dtype)), given);
    Bytes sum = given.front();
    const std::size_t count = sum.size() / static_cast<std::size_t>(element_size(t.dtype));
    const Reduction reduction = distributed::wire_reduction(t.reduction);
    for (std::size_t rank = 1; rank < size; ++rank)
        distributed::combine(reduction, t.dtype, given[rank].data(), sum.data(), count);
    if (t.reduction == Reduction::Avg) distributed::divide(t.dtype, sum.data(), count, size_);
    if (t.kind == TransferKind::AllReduce) return std::vector<Bytes>(size, sum);
    std::vector<Bytes> shares;
    const auto share = static_cast<std::ptrdiff_t>(sum.size() / size);
    for (std::ptrdiff_t rank = 0; rank < size_; ++rank)
        shares.emplace_back(sum.begin() + rank * share, sum.begin() + (rank + 1) * share);
    return shares;
}

void TestCommunicator::run(const Transfer& t) {
    if (t.ready) t.ready->wait();
    const auto element = static_cast<std::size_t>(element_size(t.dtype));
    const std::size_t before = t.kind == TransferKind::AllToAll ? t.send_counts.size() * sizeof(std::size_t) : 0;
    Bytes own(before + shares_given(t) * element);
    if (before > 0) std::memcpy(own.data(), t.send_counts.data(), before);
    if (own.size() > before) std::memcpy(own.data() + before, memory_.own_view(t.send), own.size() - before);
    std::vector<Bytes> got;
    if (rank_ == 0) {
        std::vector<Bytes> given{std::move(own)};
        for (const FileHandle& each : peers_) given.push_back(take_bytes(each.get()));
        got = exchange(t, given);
        for (std::size_t i = 0; i < peers_.size(); ++i) send_bytes(peers_[i].get(), got[i + 1]);
    } else {
        send_bytes(peers_.front().get(), own);
        got.push_back(take_bytes(peers_.front().get()));
    }
    if (!got.front().empty()) std::memcpy(memory_.own_view(t.receive), got.front().data(), got.front().size());
}

class TestTransport final : public distributed::DeviceTransport {
  public:
    explicit TestTransport(const TestMemory& memory) : memory_(memory) {}
    const char* name() const override { return "test transport"; }
    DeviceType device() const override { return DeviceType::PrivateUse1; }
    // Not of all: what it leaves goes over the host.
    bool takes(ScalarType dtype, Reduction reduction) const override {
        return dtype != ScalarType::Int8 && reduction != Reduction::PremulSum;
    }
    std::string new_id() override {
        return concat(std::filesystem::temp_directory_path().string(), "/loupe-ranks-", ::getpid(), "-", ++ids_);
    }
    std::unique_ptr<distributed::Communicator> join(const std::string& id, int rank, int size, Device) override {
        return std::make_unique<TestCommunicator>(memory_, id, rank, size);
    }

  private:
    const TestMemory& memory_;
    std::atomic<int> ids_ = 0;
};

}  // namespace

void register_transport(const PluginRegistries& registries, const TestMemory& memory) {
    static TestTransport transport(memory);
    registries.add_device_transport(transport);
}

}  // namespace loupe::test_device
