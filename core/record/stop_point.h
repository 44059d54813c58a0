// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a run can park, and who decides whether it does. The recorder asks at each point.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/said.h"
#include "core/record/recording.h"

namespace loupe::session {

// A place where a run can park: before an operator, before a module call, or before a backward node.
struct StopPoint {
    RunPhase phase = RunPhase::Forward;
    int graph_node = -1;
    std::string_view op;     // of a call: the class name
    std::string_view scope;  // of a call: the callee's
    std::string_view source_file;
    int source_line = 0;
    int depth = 0;  // of the frames around it
    bool is_call = false;
    bool is_statement = false;     // of a model source
    bool is_part = false;          // inside a composed operator, which is a stop point itself
    bool is_in_statement = false;  // an operator of a statement at which a run has stopped already
};

struct StopReason {
    Said text;  // "breakpoint 2: module layer2 in backward"
    int breakpoint = 0;
};

// What a stop point stands in.
class Surroundings {
  public:
    virtual ~Surroundings() = default;
    // Does the operator run under that line: in it, or in what it calls?
    virtual bool is_under_line(std::string_view file, int line) const = 0;
    // In the call that this node of the graph stands for?
    virtual bool is_under_node(int graph_node) const = 0;
    // Is the expression true for the variables of the innermost function that stands on the line? Throws Error (Usage).
    virtual bool holds_at_line(std::string_view file, int line, const std::string& expression) const = 0;
};

class StopControl {
  public:
    virtual ~StopControl() = default;
    // Should the run park here? next: the event that comes next.
    virtual std::optional<StopReason> before(const StopPoint& point, const Surroundings& surroundings,
                                             EventId next = 0) = 0;
    // The same for conditions on what the operator made; kind: where its NaN and Inf come from.
    virtual std::optional<StopReason> after(const StopPoint& point, const std::vector<const Value*>& outputs,
                                            NotFinite kind, const Surroundings& surroundings) = 0;
    // Could after() stop, as things are now? Where not, it need not be asked.
    virtual bool reads_outputs() const = 0;
    // Where it is parked, for steps that are ordered from there.
    virtual void parked_at(const StopPoint& point) = 0;
};

}  // namespace loupe::session
