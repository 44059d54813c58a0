// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which value of a recording each tensor of the run is, and which event wrote it last. New values are described,
// measured and kept as the options say. Used on the thread that runs.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/autograd/node.h"
#include "core/autograd/observer.h"
#include "core/record/bad_numbers.h"
#include "core/record/compute_statistics.h"
#include "core/record/recorder_options.h"
#include "core/record/recording_writer.h"
#include "core/record/value_store.h"

namespace loupe::session {

class TensorValues {
  public:
    // All outlive it.
    TensorValues(const RecorderOptions& options, RecordingWriter& writer, ValueStore& store, BadNumbers& bad)
        : options_(options), writer_(writer), recording_(*writer.recording()), store_(store), bad_(bad) {}

    // The value that a tensor is now; 0 when it was never seen.
    ValueId find(const Tensor& t) const;
    // The same, of a tensor that has not been written or moved in its storage since.
    ValueId find_unchanged(const Tensor& t) const;
    // Of a tensor that was there before the run; 0 for others.
    ValueId before_run(const Tensor& t) const;

    // A tensor that exists before the run.
    void name(const Tensor& t, const std::string& name, Category category);
    // 0 when the recording is full.
    ValueId add(const Tensor& t, EventId producer, std::string name, bool with_statistics, ValueId gradient_of = 0);
    // A result of the event, or a gradient that it made of `gradient_of`.
    ValueId add_made(const Tensor& t, EventId by, const std::string& name, ValueId gradient_of);
    ValueId of_input(const Tensor& t, bool is_backward);
    // Statistics that a device still adds up are written into their values by settle(), which the values that came
    // since wait for: those of values up to `last`, in their order.
    bool has_late() const { return !late_.empty(); }
    bool are_there(ValueId last) const;
    void settle(ValueId last);
    // They stay without: the device has failed.
    void give_up_late() { late_.clear(); }
    // Nothing is kept of what is made from here on, but its description.
    void leave_out(bool is_left_out) { is_scope_left_out_ = is_left_out; }

    // The value whose gradient flows along an edge of the backward graph; 0: something inside an operator, or unknown.
    ValueId of_edge(const Edge& edge) const;
    void remember_edge(const Tensor& t, ValueId value);
    std::string gradient_name(ValueId of) const;
    // The values that a backward node reads besides its gradients. peer: its forward event; 0: unknown.
    std::vector<ValueId> saved_by(const Node* node, EventId peer) const;

    // Values that the call will write get elements of their own first.
    void protect_written(const OperatorCall& call);
    // A value that the options' changes are about, as the tensor that the program has; undefined for others, and once
    // the program has put something else there.
    Tensor to_change(ValueId id) const;
    // Written where no operator saw it: what is on that memory is read as something new from here on.
    void forget_memory(std::uint64_t storage);

    // Likewise parameters and buffers, before they are written where nothing is recorded.
    void protect_existing();

  private:
    // What a tensor object was when it was last seen.
    struct Known {
        ValueId value = 0;
        std::uint64_t storage = 0;
        std::uint32_t version = 0;
    };

    // A value whose statistics are not there yet, and what they decide.
    struct Late {
        enum class As : std::uint8_t { Made, Given, Read };
        ValueId id = 0;
        LateStatistics statistics;
        As as = As::Made;
        bool is_wanted_finite = true;  // are statistics of finite numbers shown?
        Tensor tensor;                 // Given
        Category category = Category::Other;
        std::uint64_t storage = 0;  // Read
    };

    // The elements that a value was measured over, all of a stretch of its storage.
    struct Stretch {
        ValueId value = 0;
        std::uint32_t version = 0;
        std::int64_t offset = 0;
        std::int64_t numel = 0;
        ScalarType dtype = ScalarType::Float32;
    };

    bool is_left_out(std::string_view value) const;
    void take(Late& late);
    // Of the same elements measured before, through another view of them; else measured now.
    LateStatistics measure(const Tensor& t) const;
    void note_measured(const Tensor& t, ValueId id);
    const Known* unwritten(const Tensor& t) const;

    const RecorderOptions& options_;
    RecordingWriter& writer_;
    const Recording& recording_;
    ValueStore& store_;
    BadNumbers& bad_;
    std::deque<Late> late_;                                // by value, ascending
    std::unordered_map<std::uint64_t, Stretch> measured_;  // by storage: the last
    std::unordered_map<const TensorImpl*, Known> known_;
    std::unordered_map<const TensorImpl*, ValueId> before_run_;
    std::unordered_map<std::uint64_t, EventId> last_writer_;                      // by storage
    std::map<std::pair<std::uint64_t, std::uint32_t>, ValueId> values_of_edges_;  // by a node's sequence and input
    std::unordered_map<ValueId, Tensor> to_change_;
    bool is_scope_left_out_ = false;
};

}  // namespace loupe::session
