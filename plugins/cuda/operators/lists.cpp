// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/lists.h"

#include <algorithm>
#include <memory>

#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/loops/lists.h"
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {
namespace {

// Fills a launch after the other; an entry that does not fit begins the next.
class Launches {
  public:
    explicit Launches(const ListCall& call) : call_(call), queue_(queue_of(call.entries[0].tensors[0].device())) {
        begin();
    }
    void add(const ListEntry& entry) {
        const std::int64_t count = entry.tensors[0].numel();
        if (count == 0) return;
        int numbers = fits(entry) ? place_of(entry) : -1;
        if (numbers < 0) {
            flush();
            numbers = place_of(entry);
        }
        for (std::size_t t = 0; t < entry.tensors.size(); ++t)
            launch_->element[t] = element_of(entry.tensors[t].dtype());
        ListLaunch::Entry& added = launch_->entry[launch_->entries++];
        for (std::size_t t = 0; t < entry.tensors.size(); ++t)
            added.data[t] = static_cast<char*>(address_of(entry.tensors[t]));
        for (std::size_t i = 0; i < entry.scalars.size(); ++i) {
            launch_->scalar_element[i] = element_of(entry.scalars[i].dtype());
            added.scalar[i] = static_cast<const char*>(address_of(entry.scalars[i]));
        }
        added.count = count;
        added.first_chunk = launch_->chunks;
        added.numbers = numbers;
        launch_->chunks += (count + kListChunk - 1) / kListChunk;
    }
    void flush() {
        if (launch_->entries > 0) run_list(queue_, *launch_, call_.in_double);
        begin();
    }

  private:
    void begin() {
        launch_ = std::make_unique<ListLaunch>();
        launch_->program = call_.program;
        launch_->skip = static_cast<const float*>(address_of(call_.skip));
        launch_->flag = static_cast<float*>(address_of(call_.flag));
    }
    bool fits(const ListEntry& entry) const {
        if (launch_->entries == 0) return true;
        bool same = launch_->entries < kListEntries;
        for (std::size_t t = 0; same && t < entry.tensors.size(); ++t)
            same = launch_->element[t] == element_of(entry.tensors[t].dtype());
        for (std::size_t i = 0; same && i < entry.scalars.size(); ++i)
            same = launch_->scalar_element[i] == element_of(entry.scalars[i].dtype());
        return same;
    }
    // Where the entry's numbers stand in the launch; -1: no room for more.
    int place_of(const ListEntry& entry) {
        const int count = static_cast<int>(entry.numbers.size());
        for (int at = 0; count > 0 && at + count <= launch_->used_numbers; at += count) {
            if (std::equal(entry.numbers.begin(), entry.numbers.end(), launch_->numbers + at)) return at;
        }
        if (launch_->used_numbers + count > kListNumbers) return -1;
        std::ranges::copy(entry.numbers, launch_->numbers + launch_->used_numbers);
        launch_->used_numbers += count;
        return launch_->used_numbers - count;
    }

    const ListCall& call_;
    Queue queue_;
    std::unique_ptr<ListLaunch> launch_;
};

bool is_taken(const Tensor& t) { return is_known(t.dtype()); }

}  // namespace

bool run_lists(const ListCall& call) {
    for (const ListEntry& entry : call.entries) {
        if (!std::ranges::all_of(entry.tensors, is_taken) || !std::ranges::all_of(entry.scalars, is_taken))
            return false;
    }
    const auto is_number = [](const Tensor& t) { return !t.defined() || t.dtype() == ScalarType::Float32; };
    if (!is_number(call.skip) || !is_number(call.flag)) return false;
    Launches all(call);
    for (const ListEntry& entry : call.entries) all.add(entry);
    all.flush();
    return true;
}

}  // namespace loupe::cuda
