// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.distributed.ProcessGroup: ranks that call collectives together, in the same order. All of it on the program's
// thread. Before each collective the ranks agree on operation, dtypes, shapes and sequence; where they do not, all of
// them get an error with the lines of both. Tensors of devices go through host memory.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/scoped_value.h"
#include "core/distributed/progress.h"
#include "core/distributed/reduction.h"
#include "core/distributed/work.h"
#include "core/tensor/tensor.h"

namespace loupe::distributed {

using WorkPtr = Ptr<Work>;

// Notes collectives: of a recorder, on the program's thread.
class CollectiveObserver {
  public:
    virtual ~CollectiveObserver() = default;
    // Returns a number for the calls below.
    virtual std::size_t on_launch(const ProcessGroup& group, const Work& work, const Transfer& transfer,
                                  Reduction reduction, const TensorList& given) = 0;
    // waited_from: none: it was not waited for, and is done.
    virtual void on_done(std::size_t note, const Work& work, const Clock::time_point* waited_from) = 0;
};
// Of this thread; null: none.
CollectiveObserver* collective_observer();
class CollectiveObserverScope final : ScopedValue<CollectiveObserver*> {
  public:
    explicit CollectiveObserverScope(CollectiveObserver* observer);
};

class ProcessGroup final : public RefCounted {
  public:
    ProcessGroup(std::string name, std::string backend, Channel& channel, std::chrono::milliseconds timeout);
    ~ProcessGroup() override;

    const std::string& name() const { return name_; }        // "0": all ranks
    const std::string& backend() const { return backend_; }  // as the program names it
    int rank() const { return rank_; }                       // of this process in the group
    int size() const { return static_cast<int>(channel_.ranks.size()); }
    const std::vector<int>& ranks() const { return channel_.ranks; }  // of the program
    std::chrono::milliseconds timeout() const { return timeout_; }
    void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
    std::string description;

    // Roots and peers are numbers in the group. Each starts, and returns at once; results are there after wait. What
    // tensors do not fit throws Error (Run) here; where ranks differ from each other wait does. factor: of PREMUL_SUM.
    WorkPtr all_reduce(const TensorList& tensors, Reduction reduction, double factor = 1,
                       const std::string& name = "all_reduce");
    WorkPtr broadcast(const Tensor& tensor, int root, const std::string& name = "broadcast");
    WorkPtr reduce(const Tensor& tensor, Reduction reduction, int root);
    // out: of `size()` times the elements of `in`, in order of rank.
    WorkPtr all_gather_into(const Tensor& out, const Tensor& in, const std::string& name = "all_gather_into_tensor");
    // out[r]: what rank r gives; of one shape each.
    WorkPtr all_gather(const TensorList& out, const Tensor& in);
    WorkPtr reduce_scatter_from(const Tensor& out, const Tensor& in, Reduction reduction,
                                const std::string& name = "reduce_scatter_tensor", double factor = 1);
    WorkPtr reduce_scatter(const Tensor& out, const TensorList& in, Reduction reduction);
    // Rows along dimension 0; empty splits: equal ones.
    WorkPtr all_to_all_single(const Tensor& out, const Tensor& in, const std::vector<std::int64_t>& out_splits,
                              const std::vector<std::int64_t>& in_splits);
    WorkPtr all_to_all(const TensorList& out, const TensorList& in);
    WorkPtr gather(const TensorList& out, const Tensor& in, int root);  // out: of the root alone
    WorkPtr scatter(const Tensor& out, const TensorList& in, int root);
    WorkPtr barrier(const std::string& name = "barrier");
    WorkPtr send(const Tensor& tensor, int to, int tag);
    WorkPtr receive(const Tensor& tensor, int from, int tag);  // from: -1: whoever comes first
    // Of bytes: each rank's, of any length.
    std::vector<std::string> all_gather_bytes(std::string bytes, const std::string& name = "all_gather_object");

    // Why a collective does not come to its end: what the ranks that have not come to it do.
    struct Delay {
        std::string line;        // "rank 1 waits in ..."; empty: all have come
        bool is_final = false;   // none of them will come
        bool is_parked = false;  // one of them stands in a session, for as long as its user likes
    };
    // waits_for: ranks of the program; time: that they have to answer.
    Delay look_at_delay(const Announcement& announcement, const std::vector<int>& waits_for,
                        std::chrono::milliseconds time);
    // Collectives from here on are those of another run: see World::begin_run.
    void forget_run();
    void forget_passes() { ++run_; }
    std::uint64_t run() const { return run_; }
    void note_waited(Work& work, Clock::time_point from);
    // Collectives that are done and not waited for are noted, and let go.
    void settle();
    Channel& channel() { return channel_; }
    std::uint64_t sequence() const { return sequence_; }

  private:
    struct Parts;
    WorkPtr launch(Transfer transfer, Announcement announcement, Parts parts);
    Announcement announce(std::string operation, std::string detail);

    const std::string name_;
    const std::string backend_;
    Channel& channel_;
    int rank_ = 0;
    std::chrono::milliseconds timeout_;
    std::uint64_t sequence_ = 0;
    std::uint64_t run_ = 0;                       // of this rank
    std::vector<std::uint64_t> sent_, received_;  // by rank
    std::vector<WorkPtr> under_way_;
};

}  // namespace loupe::distributed
