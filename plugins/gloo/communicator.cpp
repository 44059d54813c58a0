// SPDX-License-Identifier: Apache-2.0
#include "plugins/gloo/communicator.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::gloo_plugin {

using distributed::Transfer;
using distributed::TransferKind;

namespace {

// What a thread and the progress thread share of a transfer.
struct Outcome {
    std::atomic<bool> is_done = false;
    std::string error;  // read when it is done
    int source = -1;
};

class GlooRequest final : public distributed::Request {
  public:
    explicit GlooRequest(std::shared_ptr<Outcome> outcome) : outcome_(std::move(outcome)) {}
    bool test() override {
        if (!outcome_->is_done.load(std::memory_order_acquire)) return false;
        if (!outcome_->error.empty()) throw Error(ErrorKind::Run, outcome_->error);
        return true;
    }
    int source() const override { return outcome_->source; }

  private:
    const std::shared_ptr<Outcome> outcome_;
};

// Runs work, notes how it ended.
void run_noted(Outcome& outcome, const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        outcome.error = concat("Gloo: ", error.what());
    }
    outcome.is_done.store(true, std::memory_order_release);
}

}  // namespace

// Jobs in order, on a thread that outlives the communicator when it waits for a rank that never comes.
class Worker {
  public:
    static std::shared_ptr<Worker> make() {
        auto worker = std::make_shared<Worker>();
        std::thread([worker] { worker->run(); }).detach();
        return worker;
    }
    void add(std::function<void()> job) {
        {
            const std::scoped_lock lock(mutex_);
            jobs_.push_back(std::move(job));
        }
        changed_.notify_one();
    }
    void end() {
        {
            const std::scoped_lock lock(mutex_);
            is_ending_ = true;
        }
        changed_.notify_one();
    }

  private:
    void run() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return is_ending_ || !jobs_.empty(); });
                if (jobs_.empty()) return;
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    bool is_ending_ = false;
};

namespace {

using Context = std::shared_ptr<gloo::Context>;

std::size_t bytes_of(const Transfer& t) { return t.count * static_cast<std::size_t>(element_size(t.dtype)); }
char* out_of(const Transfer& t) { return static_cast<char*>(t.receive); }
char* in_of(const Transfer& t) { return static_cast<char*>(const_cast<void*>(t.send)); }  // read only

// Elements are of one byte for Gloo's movers.
void broadcast(const Context& context, const Transfer& t) {
    gloo::BroadcastOptions options(context);
    options.setOutput(out_of(t), bytes_of(t));
    options.setRoot(t.peer);
    gloo::broadcast(options);
}
void all_gather(const Context& context, const Transfer& t) {
    gloo::AllgatherOptions options(context);
    options.setInput(in_of(t), bytes_of(t));
    options.setOutput(out_of(t), bytes_of(t) * static_cast<std::size_t>(context->size));
    gloo::allgather(options);
}
void gather(const Context& context, const Transfer& t) {
    gloo::GatherOptions options(context);
    options.setInput(in_of(t), bytes_of(t));
    if (context->rank == t.peer) options.setOutput(out_of(t), bytes_of(t) * static_cast<std::size_t>(context->size));
    options.setRoot(t.peer);
    gloo::gather(options);
}
void scatter(const Context& context, const Transfer& t) {
    gloo::ScatterOptions options(context);
    std::vector<char*> parts;
    for (int rank = 0; rank < context->size && context->rank == t.peer; ++rank)
        parts.push_back(in_of(t) + static_cast<std::size_t>(rank) * bytes_of(t));
    if (!parts.empty()) options.setInputs(parts, bytes_of(t));
    options.setOutput(out_of(t), bytes_of(t));
    options.setRoot(t.peer);
    gloo::scatter(options);
}

void exchange(const Context& context, char* from, const std::vector<std::int64_t>& sends, char* to,
              const std::vector<std::int64_t>& receives) {
    gloo::AlltoallvOptions options(context);
    options.setInput(from, sends);
    options.setOutput(to, receives);
    gloo::alltoallv(options);
}
void all_to_all(const Context& context, const Transfer& t) {
    const auto bytes = [&](const std::vector<std::size_t>& counts) {
        std::vector<std::int64_t> out;
        for (const std::size_t count : counts) out.push_back(static_cast<std::int64_t>(count) * element_size(t.dtype));
        return out;
    };
    exchange(context, in_of(t), bytes(t.send_counts), out_of(t), bytes(t.receive_counts));
}

// into may be one of a and b.
void combine_into(const Transfer& t, void* into, const void* a, const void* b, std::size_t count) {
    if (into != a && into != b) std::memcpy(into, a, count * static_cast<std::size_t>(element_size(t.dtype)));
    distributed::combine(t.reduction, t.dtype, into == b ? a : b, into, count);
}

// Calls with a type of the dtype's size: Gloo counts elements.
template <typename Call>
void with_element(const Transfer& t, Call&& call) {
    struct Pair {
        double parts[2];
    };
    switch (element_size(t.dtype)) {
        case 1:
            return call(std::type_identity<std::uint8_t>());
        case 2:
            return call(std::type_identity<std::uint16_t>());
        case 4:
            return call(std::type_identity<std::uint32_t>());
        case 8:
            return call(std::type_identity<std::uint64_t>());
        default:
            return call(std::type_identity<Pair>());
    }
}
template <typename Options>
void set_reduction(Options& options, const Transfer& t) {
    if (t.send != t.receive && t.receive != nullptr) std::memcpy(t.receive, t.send, bytes_of(t));
    with_element(t, [&]<typename T>(std::type_identity<T>) { options.setOutput(static_cast<T*>(t.receive), t.count); });
    options.setReduceFunction(
        [t](void* into, const void* a, const void* b, std::size_t count) { combine_into(t, into, a, b, count); });
}
void all_reduce(const Context& context, const Transfer& t) {
    gloo::AllreduceOptions options(context);
    set_reduction(options, t);
    gloo::allreduce(options);
}
void reduce(const Context& context, const Transfer& t) {
    // Only the root's result is the program's.
    std::vector<char> scratch;
    Transfer own = t;
    if (context->rank != t.peer) {
        scratch.resize(bytes_of(t));
        own.receive = scratch.data();
    }
    gloo::ReduceOptions options(context);
    set_reduction(options, own);
    options.setRoot(t.peer);
    gloo::reduce(options);
}
// Each rank's share goes to it, and is added there in order of rank.
void reduce_scatter(const Context& context, const Transfer& t) {
    const auto ranks = static_cast<std::size_t>(context->size);
    const std::size_t share = bytes_of(t);
    std::vector<char> all(share * ranks);
    const std::vector<std::int64_t> counts(ranks, static_cast<std::int64_t>(share));
    exchange(context, in_of(t), counts, all.data(), counts);
    std::memcpy(t.receive, all.data(), share);
    for (std::size_t rank = 1; rank < ranks; ++rank)
        distributed::combine(t.reduction, t.dtype, all.data() + rank * share, t.receive, t.count);
}
void barrier(const Context& context) {
    gloo::BarrierOptions options(context);
    gloo::barrier(options);
}

void run(const Context& context, const Transfer& t) {
    const bool is_empty = t.count == 0 && t.kind != TransferKind::AllToAll;
    if (t.kind == TransferKind::Barrier || is_empty) return barrier(context);
    switch (t.kind) {
        case TransferKind::AllReduce:
            return all_reduce(context, t);
        case TransferKind::Reduce:
            return reduce(context, t);
        case TransferKind::ReduceScatter:
            return reduce_scatter(context, t);
        case TransferKind::Broadcast:
            return broadcast(context, t);
        case TransferKind::AllGather:
            return all_gather(context, t);
        case TransferKind::Gather:
            return gather(context, t);
        case TransferKind::Scatter:
            return scatter(context, t);
        case TransferKind::AllToAll:
            return all_to_all(context, t);
        default:
            return;
    }
}

// Behind what Gloo's collectives use as slots.
std::uint64_t slot_of(int tag) { return (std::uint64_t{1} << 40) + static_cast<std::uint64_t>(tag); }

// Begun at once, for the order of messages of one tag; a thread of its own waits for the other side.
std::unique_ptr<distributed::Request> start_message(const Context& context, const Transfer& t) {
    auto outcome = std::make_shared<Outcome>();
    auto request = std::make_unique<GlooRequest>(outcome);
    const bool sends = t.kind == TransferKind::Send;
    std::shared_ptr<gloo::transport::UnboundBuffer> buffer =
        context->createUnboundBuffer(sends ? in_of(t) : out_of(t), bytes_of(t));
    if (sends) {
        buffer->send(t.peer, slot_of(t.tag));
    } else if (t.peer >= 0) {
        buffer->recv(t.peer, slot_of(t.tag));
    } else {
        std::vector<int> others;
        for (int rank = 0; rank < context->size; ++rank) {
            if (rank != context->rank) others.push_back(rank);
        }
        buffer->recv(others, slot_of(t.tag));
    }
    std::thread([context, outcome, buffer, sends] {
        run_noted(*outcome, [&] {
            if (sends)
                buffer->waitSend();
            else
                buffer->waitRecv(&outcome->source);
        });
    }).detach();
    return request;
}

}  // namespace

GlooCommunicator::GlooCommunicator(Rendezvous& rendezvous, std::string name, std::vector<int> ranks)
    : rendezvous_(rendezvous), name_(std::move(name)), ranks_(std::move(ranks)) {
    context_ = rendezvous_.connect(name_, ranks_);
    worker_ = Worker::make();
}

GlooCommunicator::~GlooCommunicator() { worker_->end(); }

int GlooCommunicator::rank() const { return context_->rank; }

std::unique_ptr<distributed::Request> GlooCommunicator::start(const Transfer& transfer) {
    if (transfer.kind == TransferKind::Send || transfer.kind == TransferKind::Receive)
        return start_message(context_, transfer);
    auto outcome = std::make_shared<Outcome>();
    worker_->add([context = context_, transfer, outcome] { run_noted(*outcome, [&] { run(context, transfer); }); });
    return std::make_unique<GlooRequest>(std::move(outcome));
}

std::unique_ptr<distributed::Communicator> GlooCommunicator::split(int colour) {
    const std::string name = concat(name_, ".", ++splits_);
    const std::vector<int> colours = rendezvous_.exchange(concat(name, "/colour/"), ranks_, colour);
    if (colour < 0) return nullptr;
    std::vector<int> members;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        if (colours[i] == colour) members.push_back(ranks_[i]);
    }
    return std::make_unique<GlooCommunicator>(rendezvous_, concat(name, ".", colour), std::move(members));
}

}  // namespace loupe::gloo_plugin
