// SPDX-License-Identifier: Apache-2.0
#pragma once
// What carries bytes between ranks: MPI, Gloo. Of host memory and contiguous elements alone, unless it is a device's
// (device_transport.h); tensors, errors between ranks and waiting stand above it, in process_group.h. All calls come
// from one thread, the world's progress thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/distributed/launch_facts.h"
#include "core/distributed/reduction.h"
#include "core/tensor/device_interface.h"

namespace loupe::distributed {

enum class TransferKind : std::uint8_t {
    AllReduce,
    Broadcast,
    AllGather,
    ReduceScatter,
    AllToAll,
    Reduce,
    Gather,
    Scatter,
    Barrier,
    Send,
    Receive,
};

// send and receive do not overlap; equal pointers of AllReduce, Reduce and Broadcast mean in place.
struct Transfer {
    TransferKind kind = TransferKind::Barrier;
    Reduction reduction = Reduction::Sum;  // no Avg, no PremulSum
    ScalarType dtype = ScalarType::UInt8;
    const void* send = nullptr;
    void* receive = nullptr;
    // Elements: of AllReduce, Broadcast, Reduce, Send and Receive all; of AllGather, Gather, Scatter and ReduceScatter
    // a rank's share.
    std::size_t count = 0;
    std::vector<std::size_t> send_counts, receive_counts;  // of AllToAll, in elements, one after the other
    int peer = -1;  // the root, or the other rank of a message; -1: of Receive, whoever comes first
    int tag = 0;    // of messages: 0 to 32,767
    // Whose memory it is. Of others than the CPU: an average is one (Reduction::Avg), and nothing is read or written
    // before ready is reached; null: at once.
    Device device = {};
    std::shared_ptr<DeviceEvent> ready = {};
};

class Request {
  public:
    virtual ~Request() = default;
    // Is it done? Throws Error (Run) when it failed.
    virtual bool test() = 0;
    // Of a Receive that is done: the rank that sent.
    virtual int source() const { return -1; }
};

// Ranks that call collectives together, numbered from 0. Collectives are started in the same order by all.
class Communicator {
  public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::unique_ptr<Request> start(const Transfer& transfer) = 0;
    // The ranks of one colour, in order of rank; null where colour is below 0. All ranks call it, and it waits for
    // them: after they have agreed to.
    virtual std::unique_ptr<Communicator> split(int colour) = 0;
};

struct Letter {
    int from = 0;
    std::string bytes;
};

// Letters between ranks, beside all collectives: any to any, in order between two.
class Mailbox {
  public:
    virtual ~Mailbox() = default;
    // Returns at once; box: 0 to 7, each with its own order.
    virtual void post(int rank, int box, std::string bytes) = 0;
    virtual std::optional<Letter> take(int box) = 0;
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual const char* name() const = 0;  // "mpi"
    // Can it join what started this process?
    virtual bool joins(const LaunchFacts& facts) const = 0;
    // Joins; called once. Throws Error (Run).
    virtual std::unique_ptr<Communicator> join(const LaunchFacts& facts) = 0;
    virtual std::unique_ptr<Mailbox> open_mailbox() = 0;
    // All ranks are done. Communicators and mailboxes are gone by now.
    virtual void leave() = 0;
    // The program failed here: ends the other ranks where the launcher does not. May return.
    virtual void abort(int status) = 0;
};

// Of plugins; each must live as long as the process. Throws Error (Plugin) when there is one of that name.
void add_backend(Backend& backend);
const std::vector<Backend*>& backends();

}  // namespace loupe::distributed
