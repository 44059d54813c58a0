// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a recorded run knows of its NaN and Inf while it goes on: which are meant, which storages hold them, and what
// each event has to do with those in its outputs. Used on the thread that runs.

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/autograd/observer.h"
#include "core/record/not_finite.h"
#include "core/record/value_store.h"

namespace loupe::session {

class BadNumbers {
  public:
    // Both outlive it.
    BadNumbers(const Recording& recording, const ValueStore& store) : recording_(recording), store_(store) {}

    // A value that no event made.
    void note_given(ValueId id, const Tensor& t, Category category);
    // A value that is read, not finite, of a storage that `producer` wrote last.
    void note_read(ValueId id, EventId producer, std::uint64_t storage);
    // An event has made these; kind: where its NaN and Inf come from.
    void note_made(const std::vector<ValueId>& outputs, NotFinite kind, EventId by);
    // The event to which such a value in the storage goes back: the last to write may have written elsewhere in it,
    // finite numbers.
    EventId producer_of(std::uint64_t storage, EventId last_writer) const;

    Holding holding_of(ValueId id) const;
    // What an event was a call of. The tensors are those that it read and made, or what is kept of them: empty where
    // that is not all of them.
    struct Call {
        const Operator* op = nullptr;
        TensorList inputs, outputs;
    };
    // The same from what is kept.
    Call kept_call(const Operator* op, const Event& event) const;
    // saved: what a backward node reads besides its gradients.
    NotFinite kind_of(const Call& call, const Event& event, const std::vector<ValueId>& saved) const;
    // The numbers behind the first that is not finite; of element-wise operators, and of their derivatives as far as
    // the forward's elements are kept.
    std::vector<double> read_by(const Call& call, const Event& event) const;

  private:
    // What has written NaN and Inf into a storage: what is read of it later, whole or through another view, holds them.
    struct Written {
        EventId by = 0;  // the last to do so
        bool has_constant = false;
        bool has_other = false;
    };

    const Recording& recording_;
    const ValueStore& store_;
    std::unordered_set<ValueId> meant_;                       // values whose Inf are constants of the program
    std::unordered_map<std::uint64_t, Written> written_bad_;  // by storage
};

}  // namespace loupe::session
