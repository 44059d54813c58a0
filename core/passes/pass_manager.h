// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs pipelines. Around every pass it notifies its listeners, which may veto, verifies the graph, takes the time, and
// stores a snapshot when the graph changed.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/pass.h"
#include "core/passes/pipeline.h"

namespace loupe::passes {

struct Snapshot {
    std::string text;      // as printed
    Ptr<ir::Graph> graph;  // a copy, with the same ids; null when the graph is wrong
    std::uint64_t hash = 0;
};

// One run of one pass.
struct PassRecord {
    const Pass* pass = nullptr;
    std::size_t index = 0;  // in the order of running
    std::string place;      // where in the pipeline: "freeze/cleanup", "freeze/fold/fixpoint 2"
    bool was_run = false;   // false when a listener vetoed
    bool changed = false;
    double seconds = 0;
    std::size_t nodes_before = 0;
    std::size_t nodes_after = 0;
    std::shared_ptr<const Snapshot> after;  // the graph after it; that of before when nothing changed
    std::string error;                      // it threw, or left an invalid graph, which `after` prints
};

struct PassTrace {
    std::string pipeline;
    std::shared_ptr<const Snapshot> before;
    std::vector<PassRecord> records;
    double seconds = 0;
    // After the last pass, or before the first when there is none.
    const std::shared_ptr<const Snapshot>& result() const { return records.empty() ? before : records.back().after; }
};

class PassListener {
  public:
    virtual ~PassListener() = default;
    virtual bool should_run(const PassRecord&) { return true; }
    virtual void before(const PassRecord&, const ir::Graph&) {}
    virtual void after(const PassRecord&, const ir::Graph&) {}
};

// Runs only the first `count` passes: to find a faulty pass by bisection.
class BisectListener final : public PassListener {
  public:
    explicit BisectListener(std::size_t count) : count_(count) {}
    bool should_run(const PassRecord& record) override { return record.index < count_; }

  private:
    std::size_t count_;
};

// Nodes in all blocks.
std::size_t count_nodes(const ir::Graph& graph);

class PassManager {
  public:
    // Listeners must outlive the manager.
    void add_listener(PassListener* listener) { listeners_.push_back(listener); }
    // Without snapshots a trace has only times and counts, and `changed`.
    void keep_snapshots(bool keep) { keep_snapshots_ = keep; }
    // After every pass that changed the graph. On unless switched off.
    void verify_each(bool verify) { verify_ = verify; }

    // Throws the errors of passes, and Error (Internal) that names the pass when its graph is invalid.
    PassTrace run(ir::Graph& graph, const Pipeline& pipeline, const PassContext& context = {});
    // Of the last run that threw: its last record is of the pass at fault.
    const PassTrace& failed_trace() const { return failed_; }

  private:
    struct Run;
    void run_steps(Run& run, std::span<const Step> steps, const std::string& place);
    void run_fixpoint(Run& run, const Step& step, const std::string& place);
    void run_pass(Run& run, const Pass& pass, const std::string& place);
    void apply(Run& run, const Pass& pass, PassRecord& record);
    std::shared_ptr<const Snapshot> snapshot(const ir::Graph& graph, std::uint64_t hash) const;

    std::vector<PassListener*> listeners_;
    bool keep_snapshots_ = true;
    bool verify_ = true;
    PassTrace failed_;
};

}  // namespace loupe::passes
