// SPDX-License-Identifier: Apache-2.0
#pragma once
// Averages gradients over ranks while backward runs: PyTorch's c10d::Reducer, of DistributedDataParallel.

#include <functional>
#include <string>
#include <vector>

#include "core/autograd/node.h"
#include "core/distributed/buckets.h"
#include "core/distributed/process_group.h"

namespace loupe::distributed {

struct ReducerOptions {
    std::vector<std::size_t> limits = {kBucketBytes};          // bytes of the first buckets
    std::vector<std::size_t> rebuilt_limits = {kBucketBytes};  // and of those that are made anew
    bool find_unused = false;
    bool is_static = false;  // the same parameters are used in every iteration
    bool views = false;      // gradients are views of the buckets
};

class Reducer final : public RefCounted {
  public:
    // What a communication hook sees.
    struct Bucket {
        std::size_t index = 0;
        bool is_last = false;
        Tensor buffer;         // flat
        TensorList gradients;  // its parts
        TensorList parameters;
    };
    // Returns what gives the bucket's new elements when it is called, at the end of backward.
    using Pending = std::function<Tensor()>;
    using Hook = std::function<Pending(const Bucket& bucket)>;

    // All ranks have the same parameters. Hooks on them work as long as this lives.
    Reducer(ProcessGroup& group, TensorList parameters, std::vector<std::string> names, ReducerOptions options);
    ~Reducer() override;

    // Before forward: after the first backward pass buckets are made anew, in the order in which gradients came, rank
    // 0's for all. True where that happened now.
    bool rebuild();
    // After a forward whose gradients are to be reduced; outputs: of the module. Throws Error (Run), with PyTorch's
    // words, when the last pass did not reduce all.
    void prepare(const TensorList& outputs);
    // Does backward reduce? Not in no_sync.
    void set_sync(bool value) { syncs_ = value; }
    // What sums are divided by, from the next pass on: the group's size at first.
    void set_divisor(int ranks) { divisor_ = ranks; }
    // Of a rank without inputs: the collectives of a pass of the others, with zeros.
    void shadow();
    void set_hook(Hook hook);
    bool has_hook() const { return hook_ != nullptr; }
    // Places of the parameters by bucket, in order of launch.
    const std::vector<std::vector<std::size_t>>& buckets() const { return plan_.buckets; }
    bool has_rebuilt() const { return has_rebuilt_; }
    // Seconds of all passes so far in which buckets were under way, and those of them in which the program only waited.
    struct Times {
        double under_way = 0;
        double waited = 0;
    };
    const Times& times() const { return times_; }

  private:
    struct State {
        Tensor flat;
        TensorList views;  // by member
        std::size_t missing = 0;
        WorkPtr work;
        Clock::time_point launched;
        Pending pending;
    };

    void make_buckets(BucketPlan plan);
    void reset();
    void on_gradient(std::size_t parameter);
    void mark_ready(std::size_t parameter, bool is_used);
    void launch_ready();
    void launch(std::size_t bucket);
    void finish();
    void note_times(Clock::time_point waited_from, Clock::time_point waited_until);
    Bucket bucket_of(std::size_t bucket) const;
    void share_used();
    void forget_used_work();
    bool rebuilds() const { return !has_rebuilt_ && (options_.is_static || !options_.find_unused); }

    const Ptr<ProcessGroup> group_;
    const TensorList parameters_;
    const std::vector<std::string> names_;
    const ReducerOptions options_;
    Hook hook_;
    bool syncs_ = true;
    int divisor_ = 1;

    BucketPlan plan_;
    std::vector<State> states_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  // by parameter: bucket, member
    std::vector<RemovableHandle> handles_;

    std::uint64_t run_ = 0;     // of the group: a pass of a run before, which was stopped, is not missed
    bool expects_ = false;      // a backward pass is to come
    bool has_finished_ = true;  // the last pass has reduced all
    bool has_static_graph_ = false;
    bool is_delayed_ = false;  // in the first pass of a static graph
    std::vector<int> uses_;    // by parameter, of a static graph: gradients a pass
    std::vector<int> seen_;
    std::vector<char> is_ready_;
    std::vector<std::int32_t> used_;         // since the last reduction
    std::vector<std::int32_t> shared_used_;  // by how many ranks, at the last reduction
    WorkPtr used_work_;
    Tensor used_tensor_;
    std::size_t next_ = 0;
    std::vector<std::size_t> arrival_;
    bool has_rebuilt_ = false;
    bool calls_finish_ = false;
    Times times_;
    bool has_queued_ = false;  // of the first pass of a static graph: what ends it
};

}  // namespace loupe::distributed
