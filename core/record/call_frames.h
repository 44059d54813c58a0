// SPDX-License-Identifier: Apache-2.0
#pragma once
// The calls under way in a recorded run, and where in the model and its source an operator, a call or a statement
// stands. Used on the thread that runs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/autograd/observer.h"
#include "core/formats/eager_model.h"
#include "core/ir/graph.h"
#include "core/ir/source.h"
#include "core/model/graph_builder.h"
#include "core/nn/module.h"
#include "core/record/direct_sites.h"
#include "core/record/recording_writer.h"
#include "core/record/stop_point.h"

namespace loupe::session {

class CallFrames {
  public:
    // The graph outlives it.
    CallFrames(RecordingWriter& writer, const GraphModel& graph, SiteMap sites);

    // Modules that are called without a graph know their place in the tree by this.
    void name_modules(nn::Module& root, const std::string& path);
    bool knows(const nn::Module& module) const { return module_paths_.contains(&module); }

    // The place of a call; nullopt for the outermost, and for functions without a graph.
    std::optional<StopPoint> point_of(const FrameInfo& call);
    StopPoint point_of(const OperatorCall& call);
    StopPoint point_of(const EagerModel::Statement& statement);

    // place: of the call, as point_of gave it.
    void enter(const FrameInfo& call, const std::optional<StopPoint>& place);
    void leave();
    // A composed operator whose parts are recorded: they stand where it stands. place: of it, as point_of gave it.
    void open(const OperatorCall& call, const StopPoint& place);
    bool is_empty() const { return frames_.empty(); }
    // The number of the innermost; 0: there is none.
    std::uint32_t current() const { return frames_.empty() ? 0 : frames_.back().id; }
    // What `with record_function(name)` begins and ends stands around the call that says so, inside the caller.
    void begin_part(const OperatorCall& call);
    void end_part();

    // Is the event under that line: in it, or in what it calls? In backward the calls around it are those of its
    // forward event.
    bool is_under_line(const StopPoint& point, const Event& event, std::string_view file, int line) const;
    bool is_under_node(const StopPoint& point, int graph_node) const;

  private:
    struct ActiveFrame {
        std::uint32_t id = 0;
        int group = SiteMap::kTop;
        std::string_view scope;
        std::optional<StopPoint> opened = {};  // of a composed operator: its place
        bool is_part = false;                  // of record_function: no call, only a name for what runs in it
    };
    // Where a frame was called from.
    struct Caller {
        std::uint32_t frame = 0;
        std::string_view file;
        int line = 0;
    };

    int depth() const;
    int direct_depth() const;
    void place_forward(StopPoint& point, EventId forward) const;
    void place_direct(StopPoint& point, const ir::SourceRange& range);
    void place_made(StopPoint& point, const ir::Node& node);
    std::string_view scope_of(const FrameInfo& call) const;
    void note_caller(std::uint32_t frame, const Caller& caller);
    void pop(EventId last);

    RecordingWriter& writer_;
    const Recording& recording_;
    const GraphModel& graph_;
    SiteMap sites_;
    DirectSites direct_sites_;
    std::unordered_map<const nn::Module*, std::string> module_paths_;
    std::vector<ActiveFrame> frames_;
    std::vector<Caller> callers_{1};  // by the frame's number
};

}  // namespace loupe::session
