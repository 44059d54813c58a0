// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a run would take if it were done another way, reckoned from a recording of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/record/recording.h"

namespace loupe::session {

struct WhatIf {
    enum class Kind : std::uint8_t {
        Checkpoint,      // what the module's forward saved is dropped at its end and computed again before its backward
                         // (Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016)
        Drop,            // what the event saved for backward is not kept: as Checkpoint of that one operator
        Batch,           // `factor` times as many examples
        MixedPrecision,  // the forward under torch.autocast("cpu", torch.bfloat16); weights stay as they are
    };
    Kind kind = Kind::Checkpoint;
    std::string module;  // Checkpoint: a path
    EventId event = 0;   // Drop: a forward event
    double factor = 2;   // Batch
};
constexpr WhatIf::Kind last_of(WhatIf::Kind) { return WhatIf::Kind::MixedPrecision; }
auto fields(Like<WhatIf> auto& it) { return std::tie(it.kind, it.module, it.event, it.factor); }
std::string what_if_text(const WhatIf& change);
// What the run could be done with and be measured: batches that are whole numbers of its examples, bfloat16 where
// autocast would turn float32 into it, and checkpoints of the modules that gain most by it.
std::vector<WhatIf> possible_changes(const Recording& recording, std::size_t most_checkpoints = 12);

struct MemoryForecast {
    std::int64_t peak_before = 0;  // bytes, of the recorded run
    EventId peak_event_before = 0;
    std::int64_t peak = 0;  // bytes
    EventId peak_event = 0;
    // Of the operators, from warm times alone: not there where the recording has none (Recording::warm_times), and
    // where a change makes kernels run that were not measured.
    std::optional<double> seconds_before;
    std::optional<double> seconds;
    std::string no_time;             // why `seconds` is not there, and what to do about it
    bool is_rough = false;           // the peak, reckoned with kernels that were not measured
    std::vector<std::string> notes;  // what was not reckoned with, why a change does nothing
    std::string error;               // of ForecastQuery; not empty: nothing else is valid
};
auto fields(Like<MemoryForecast> auto& it) {
    return std::tie(it.peak_before, it.peak_event_before, it.peak, it.peak_event, it.seconds_before, it.seconds,
                    it.no_time, it.is_rough, it.notes, it.error);
}
struct PrecisionTimes;
// All changes together. Throws Error (Usage) for a module that the run did not call, an event that saved nothing, a
// factor that is not positive, and a recording without backward where a change is about what backward needs. precision:
// how the operators do in bfloat16, measured; without it mixed precision has no time.
MemoryForecast forecast_memory(const Recording& recording, const std::vector<WhatIf>& changes,
                               const PrecisionTimes* precision = nullptr);

// What runs of the model really took: as it is, and changed.
struct WhatIfMeasurement {
    std::string error;             // not empty: nothing else is valid
    std::int64_t peak_before = 0;  // bytes
    std::int64_t peak = 0;
    // Of the operators, without set-up: their medians over warm runs that took turns, added up.
    double seconds_before = 0;
    double seconds = 0;
};
auto fields(Like<WhatIfMeasurement> auto& it) {
    return std::tie(it.error, it.peak_before, it.peak, it.seconds_before, it.seconds);
}

// Modules by what a checkpoint of them alone would take off the peak, most first; those that take nothing are left out.
struct CheckpointAdvice {
    std::string module;
    std::int64_t bytes_less = 0;
    std::optional<double> seconds_more;
};
std::vector<CheckpointAdvice> advise_checkpoints(const Recording& recording, std::size_t most = 10);

}  // namespace loupe::session
