// SPDX-License-Identifier: Apache-2.0
#pragma once
// Breakpoints stay on what they were set on while the source and the graph below them change, and are each model's own.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/model/model_info.h"
#include "core/session/run_control.h"
#include "core/session/session_listener.h"

namespace loupe::session {

class BreakpointMoves {
  public:
    using Tell = std::function<void(SessionListener::LogEntry)>;
    BreakpointMoves(RunControl& control, Tell tell) : control_(control), tell_(std::move(tell)) {}

    // Any thread: see Session::move_breakpoints.
    void move_lines(const std::string& file, const std::string& text);
    // The engine thread: this is shown and runs from now on. Breakpoints of another model are put away until it comes
    // again.
    void arrive(const std::shared_ptr<const ModelInfo>& model);
    // Any thread: of models that are not open, by their paths; and one of them, from a session before.
    std::map<std::string, std::vector<Breakpoint>> away() const;
    void put_away(const std::string& path, std::vector<Breakpoint> breakpoints);

  private:
    // What a breakpoint is on, to be found in another graph.
    struct NodePlace {
        std::string kind;
        std::string scope;
        std::string label;
        bool is_group = false;
        SourcePlace source;
        std::ptrdiff_t order = 0;       // among those alike in its module
        std::ptrdiff_t line_order = 0;  // among those of them on its line
        bool was_enabled = true;
    };
    struct Kept {
        std::vector<Breakpoint> breakpoints;
        std::map<int, NodePlace> resting;
        std::shared_ptr<const ModelInfo> model;
        std::shared_ptr<const GraphModel> graph;
        std::map<std::string, std::string> texts;
    };

    void change_model(const std::string& path);
    void follow_sources(const ModelInfo& model);
    void follow_nodes(const GraphModel& graph);
    void tell_of_lost_modules(const ModelInfo& before, const ModelInfo& now) const;
    void note_edited(const std::string& file, std::string_view before, const std::string& now);
    SourcePlace moved(const SourcePlace& place) const;
    static NodePlace place_of(const GraphModel& graph, int node);
    int find(const GraphModel& graph, const NodePlace& place) const;
    void warn(Said text, SourcePlace source) const;

    RunControl& control_;
    Tell tell_;
    mutable std::mutex mutex_;
    Kept now_;                                       // its breakpoints are the control's
    std::map<std::string, std::vector<int>> lines_;  // of files that came anew: where their lines went
    std::map<std::string, Kept> away_;               // by the model's path
};

}  // namespace loupe::session
