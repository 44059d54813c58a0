// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings of the ranks of a small DDP program, written by hand: a parameter "w", steps of a local gradient, an
// all_reduce of it and an update.

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/record/recording_writer.h"
#include "core/study/ranks/rank_set.h"

namespace loupe::testing {

using namespace loupe::session;

inline Statistics numbers(double around, std::int64_t nan = 0) {
    Statistics s;
    s.count = 4;
    s.nan_count = nan;
    if (nan < s.count) s.finite = FiniteStatistics{around - 1, around + 1, around, 0.5, around + 1, around, 2 * around};
    return s;
}

class RankWriter {
  public:
    RankWriter(int rank, int world_size, double began = 1000) {
        facts_.rank = rank;
        facts_.world_size = world_size;
        facts_.host = "here";
        facts_.pid = 100 + rank;
        facts_.program = "run 1";
        facts_.began = began;
    }
    RankFacts& facts() { return facts_; }
    double now = 0;  // seconds

    ValueId value(const std::string& name, double around, EventId producer, std::uint64_t storage, std::int64_t nan = 0,
                  bool requires_grad = false) {
        Value value;
        value.name = name;
        value.dtype = writer_.intern("float32");
        value.shape = {4};
        value.strides = {1};
        value.bytes = 16;
        value.storage_id = storage;
        value.producer = producer;
        value.requires_grad = requires_grad;
        value.statistics = numbers(around, nan);
        return writer_.add_value(std::move(value));
    }
    ValueId parameter(const std::string& name, double around, std::uint64_t storage) {
        Allocation block;
        block.storage_id = storage;
        block.bytes = 16;
        block.category = Category::Parameter;
        block.owner = name;
        writer_.add_allocation(block);
        return value(name, around, 0, storage);
    }
    // An operator that reads and makes values; made: what it makes gets the event's number.
    EventId event(RunPhase phase, const std::string& op, int line, const std::vector<ValueId>& inputs,
                  const std::function<std::vector<ValueId>(EventId)>& made, std::vector<std::string> arguments = {}) {
        Event event;
        event.phase = phase;
        event.op = writer_.intern(op);
        event.source_file = writer_.intern("net.py");
        event.source_line = line;
        event.scope = writer_.intern("");
        event.start = now;
        event.duration = 0.001;
        event.inputs = inputs;
        event.outputs = made(writer_.next_event());
        event.arguments = std::move(arguments);
        for (const ValueId id : event.outputs) {
            const auto& statistics = writer_.recording()->value(id).statistics;
            event.has_nan = event.has_nan || (statistics && statistics->nan_count > 0);
        }
        if (event.has_nan) event.not_finite = NotFinite::Made;
        now += 0.001;
        return writer_.add_event(std::move(event));
    }
    // Launched now, over at `until`.
    void collective(const std::string& operation, EventId launched_by, double until, const std::string& group = "0",
                    Shape shape = {4}) {
        Collective each;
        each.group = group;
        each.sequence = ++sequence_;
        each.operation = operation;
        each.reduction = operation == "all_reduce" ? "SUM" : "";
        each.dtype = "float32";
        each.shapes = {std::move(shape)};
        each.bytes = 16;
        for (int i = 0; i < facts_.world_size; ++i) each.ranks.push_back(i);
        each.event = launched_by;
        each.place = {"net.py", 33, 0};
        each.launched = now;
        if (!std::isnan(until)) each.completed = each.waited_until = until;
        if (!std::isnan(until)) each.waited_from = now;
        writer_.add_collective(std::move(each));
        if (!std::isnan(until)) now = until;
    }
    std::shared_ptr<const Recording> finish(bool is_complete = true) {
        writer_.set_rank(facts_);
        if (is_complete) writer_.finish();
        return writer_.recording();
    }
    RecordingWriter& writer() { return writer_; }

  private:
    RecordingWriter writer_;
    RankFacts facts_;
    std::uint64_t sequence_ = 0;
};

struct DdpFaults {
    double learning_rate = 0.1;
    int skips_at = -1;  // step without its all_reduce
    int nan_at = -1;    // step whose local gradient is NaN
    double late = 0;    // seconds before each all_reduce
    double clock = 0;   // seconds that its clock is ahead
    int hangs_at = -1;  // step at whose all_reduce it stands
    double weight = 1;  // at the beginning
    std::string host = "here";
};

// All ranks leave the all_reduce of step s at 10 (s + 1) + 5 seconds of the first rank's clock.
inline std::shared_ptr<const Recording> ddp_rank(int rank, int world_size, const DdpFaults& faults = {},
                                                 int steps = 3) {
    RankWriter w(rank, world_size, 1000 - faults.clock);
    w.facts().host = faults.host;
    ValueId weight = w.parameter("w", faults.weight, 1);
    double at = faults.weight;
    int reduced = 0;  // as many all_reduces: the ranks' are one by their numbers, whatever step they are of
    for (int step = 0; step < steps; ++step) {
        w.now = 10.0 * (step + 1) + faults.clock + faults.late;
        const std::int64_t nan = faults.nan_at == step ? 1 : 0;
        ValueId gradient = 0;
        w.event(RunPhase::Backward, "aten::mm", 20, {weight}, [&](EventId id) {
            gradient = w.value("grad of w", 5 + rank + step, id, static_cast<std::uint64_t>(100 + step), nan);
            return std::vector{gradient};
        });
        if (faults.hangs_at == step) return w.finish(false);
        if (faults.skips_at != step) {
            ValueId sum = 0;
            const EventId launch = w.event(RunPhase::Backward, "c10d::allreduce_", 33, {gradient}, [&](EventId id) {
                sum = w.value("grad of w", 7 + reduced, id, static_cast<std::uint64_t>(100 + step), nan);
                return std::vector{sum};
            });
            w.collective("all_reduce", launch, 10.0 * (step + 1) + 5 + faults.clock);
            gradient = sum;
        }
        at -= faults.learning_rate * (faults.skips_at == step ? 5 + rank + step : 7 + reduced++);
        w.event(RunPhase::Optimizer, "aten::add_", 34, {weight, gradient},
                [&](EventId id) { return std::vector{weight = w.value("w", at, id, 1)}; },
                {"alpha=" + std::to_string(-faults.learning_rate)});
    }
    return w.finish();
}

inline RankSet ddp(const std::vector<DdpFaults>& faults, int steps = 3) {
    std::vector<RankSource> sources;
    for (std::size_t rank = 0; rank < faults.size(); ++rank)
        sources.push_back({ddp_rank(static_cast<int>(rank), static_cast<int>(faults.size()), faults[rank], steps),
                           "step.rank" + std::to_string(rank) + ".loupe", static_cast<int>(rank)});
    return join_ranks(sources);
}

}  // namespace loupe::testing
