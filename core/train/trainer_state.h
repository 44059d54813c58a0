// SPDX-License-Identifier: Apache-2.0
#pragma once
// A training between two steps: all that decides what its next steps come to. Taken and put back by the Trainer; kept
// by the dozen, so that a step may be run again from the nearest one.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/nn/module.h"
#include "core/ops/random/generator.h"
#include "core/optim/scheduler.h"
#include "core/train/training.h"

namespace loupe::session {

// Tensors in an unlinked temporary file, up to a limit.
class TensorFile {
  public:
    explicit TensorFile(std::size_t limit) : limit_(limit) {}
    TensorFile(const TensorFile&) = delete;
    TensorFile& operator=(const TensorFile&) = delete;
    ~TensorFile();

    // The place of the tensor's bytes, which lie in a row; nullopt: there is no room, or writing fails.
    std::optional<std::int64_t> put(const Tensor& t);
    // Room that put() may use again.
    void free(std::int64_t place, std::size_t bytes) { free_.emplace(bytes, place); }
    // Throws Error (File).
    void get(std::int64_t place, const Tensor& to) const;

  private:
    std::size_t limit_;
    int file_ = -1;
    std::size_t end_ = 0;
    std::multimap<std::size_t, std::int64_t> free_;
};

// Elements that go back into a tensor, or stand for themselves.
class SavedTensor {
  public:
    // The elements as they are now, copied.
    explicit SavedTensor(const Tensor& t);
    SavedTensor(SavedTensor&&) = default;
    SavedTensor& operator=(SavedTensor&&) = default;
    ~SavedTensor();

    std::size_t bytes_in_memory() const { return elements_.defined() ? elements_.bytes() : 0; }
    // A copy of the saved elements, where the tensor was.
    Tensor elements() const;
    // False when there is no room.
    bool move_to(const std::shared_ptr<TensorFile>& file);

  private:
    Tensor elements_;  // undefined: in the file
    Dims sizes_;
    ScalarType dtype_ = ScalarType::Float32;
    Device device_;
    std::size_t bytes_ = 0;
    std::shared_ptr<TensorFile> file_;
    std::int64_t place_ = -1;
};

// A value whose tensors, in containers too, are saved.
class SavedValue {
  public:
    SavedValue() = default;
    explicit SavedValue(const IValue& value);
    // The value again, with copies of the tensors; containers are new ones. Keys that are tensors are what they were.
    IValue value() const;
    std::size_t bytes_in_memory() const;
    bool move_to(const std::shared_ptr<TensorFile>& file);

  private:
    IValue shape_;  // tensors are undefined, in the order of tensors_
    std::vector<SavedTensor> tensors_;
};

struct TrainerState {
    struct Slot {
        std::size_t index;
        Tensor tensor;  // defined: the slot's tensor, whose elements are in saved
        SavedValue saved;
    };
    struct ModuleState {
        nn::ModulePtr module;
        std::vector<Slot> attributes;
    };
    std::int64_t steps_done = 0;
    int epoch = 0;
    bool is_epoch_begun = false;
    std::int64_t epoch_steps = 0;
    double epoch_loss = 0, epoch_hits = 0;
    std::int64_t epoch_examples = 0, epoch_rated = 0;
    RandomState random;
    RandomState epoch_random;
    TrainOptions options;
    std::vector<ModuleState> modules;
    std::vector<std::pair<Tensor, SavedValue>> gradients;  // of parameters, where they were asked for; None: none
    Ptr<optim::Optimizer> optimizer;
    Ptr<optim::Scheduler> schedule;
    SavedValue optimizer_state;
    std::vector<SavedValue> groups;  // without params
    SavedValue schedule_state;
    SavedValue scaler_state;

    std::size_t bytes_in_memory() const;
    bool move_to(const std::shared_ptr<TensorFile>& file);
};

// States of one training by steps done. Some go when there are too many: those that are left are evenly apart, but for
// the first and those that must stay. Of these the old ones go where there are too many of them alone.
class TrainerStates {
  public:
    struct Budget {
        std::size_t memory;
        std::size_t file;
        std::size_t most = 64;
    };
    // A sixteenth of the machine's memory, an eighth of the free disk.
    static Budget default_budget();
    explicit TrainerStates(const Budget& budget = default_budget());

    void clear();
    // must_stay: it cannot be reached from the one before, as something was changed by hand.
    void add(TrainerState state, bool must_stay);
    // States behind that many steps are of a future that is given up.
    void drop_after(std::int64_t steps_done);
    // The last with at most that many steps done; null when there is none.
    const TrainerState* nearest(std::int64_t steps_done) const;
    // Steps between two, as they are kept now.
    std::int64_t interval() const { return interval_; }
    std::int64_t last() const { return states_.empty() ? -1 : states_.back().state.steps_done; }
    std::int64_t first() const { return states_.empty() ? -1 : states_.front().state.steps_done; }
    std::size_t count() const { return states_.size(); }
    std::size_t bytes_in_memory() const;

  private:
    struct Entry {
        TrainerState state;
        bool must_stay;
        bool is_in_file = false;
    };
    void thin();

    Budget budget_;
    std::shared_ptr<TensorFile> file_;
    std::deque<Entry> states_;
    std::int64_t interval_ = 1;
};

}  // namespace loupe::session
