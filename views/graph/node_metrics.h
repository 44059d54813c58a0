// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Metrics of each node of the graph from a recording, accumulated as it grows.

#include <QString>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/record/recording.h"
#include "core/session/queries/graph_sizes.h"
#include "core/session/queries/token_axes.h"
#include "core/study/run_differences.h"
#include "views/graph/graph_index.h"

namespace loupe::views {

struct NodeMetric {
    session::EventId forward = 0;  // the last event of each phase
    session::EventId backward = 0;
    double seconds = 0;      // all phases
    std::int64_t bytes = 0;  // of the outputs in forward
    double activation = -1;  // greatest magnitude of outputs; -1: unknown
    double gradient = -1;
    std::string error;                                         // why it failed
    session::NotFinite not_finite = session::NotFinite::None;  // the gravest
    session::EventId not_finite_event = 0;                     // the first one that is not finite
    bool failed = false;
    // From a reference: root mean square of the difference to that of the reference; -1: nothing was compared.
    double difference = -1;
    bool diverges = false;
    enum class Change { None, Added, Replaced } change = Change::None;  // Added: only this run has it
};

class NodeMetrics {
  public:
    // Starts again for another recording or graph; either may be null.
    void reset(const GraphIndex* index, const session::Recording* recording);
    // Are times those of warm runs, where available?
    bool isWarm() const { return times_ != nullptr; }
    // Adds events up to the count. True when there were new ones.
    bool update(std::size_t event_count);

    // Null: none.
    void setDifferences(const session::RunDifferences* differences);
    bool areCompared() const { return are_compared_; }
    const NodeMetric& of(int node) const;
    // What is known of this graph before a run.
    void setSizes(const session::GraphSizes& sizes);
    // Sizes of these axes stand in brackets; reset() forgets them.
    void setTokenAxes(const session::TokenAxesAnswer& axes);
    bool hasTokens(const GraphPort& port) const;
    // Shape and dtype of an operator's output, or of an input: as it ran, else as it will; empty when that is not
    // known.
    QString portText(const GraphPort& port) const;
    const session::Value* portValue(const GraphPort& port) const;

  private:
    const GraphIndex* index_ = nullptr;
    const session::Recording* recording_ = nullptr;
    std::shared_ptr<const session::OperatorTimes> times_;
    std::size_t seen_ = 0;
    bool are_compared_ = false;
    std::vector<NodeMetric> metrics_;
    std::map<session::ValueId, std::vector<int>> token_axes_;
    std::vector<session::GraphSizes::Output> input_sizes_;
    std::vector<std::vector<session::GraphSizes::Output>> sizes_;  // by node
};

}  // namespace loupe::views
