// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pass_manager.h"

#include <algorithm>
#include <chrono>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/verify.h"

namespace loupe::passes {
namespace {

// A group that still changes then is going round in circles.
constexpr int kMostRounds = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t count_block(const ir::Block& block) {
    std::size_t count = 0;
    for (const ir::Node* node : block.nodes()) {
        ++count;
        for (std::size_t i = 0; i < node->block_count(); ++i) count += count_block(*node->block_at(i));
    }
    return count;
}

// Of a graph that may be invalid: its nodes may use values of other graphs, so that it cannot be copied.
std::shared_ptr<const Snapshot> snapshot_of_wrong(const ir::Graph& graph) {
    auto made = std::make_shared<Snapshot>();
    try {
        made->text = graph.str();
    } catch (const Error& error) {
        made->text = concat("# it cannot be printed: ", error.message(), "\n");
    }
    return made;
}

}  // namespace

std::size_t count_nodes(const ir::Graph& graph) { return count_block(*graph.block()); }

struct PassManager::Run {
    ir::Graph& graph;
    const PassContext& context;
    PassTrace trace = {};
    std::uint64_t hash = 0;
};

std::shared_ptr<const Snapshot> PassManager::snapshot(const ir::Graph& graph, std::uint64_t hash) const {
    auto made = std::make_shared<Snapshot>();
    made->hash = hash;
    if (keep_snapshots_) {
        made->text = graph.str();
        made->graph = graph.copy();
    }
    return made;
}

PassTrace PassManager::run(ir::Graph& graph, const Pipeline& pipeline, const PassContext& context) {
    const auto start = std::chrono::steady_clock::now();
    Run run{graph, context};
    run.trace.pipeline = pipeline.name;
    run.hash = graph.structural_hash();
    run.trace.before = snapshot(graph, run.hash);
    try {
        run_steps(run, pipeline.steps, pipeline.name);
    } catch (const Error&) {
        run.trace.seconds = seconds_since(start);
        failed_ = std::move(run.trace);
        throw;
    }
    run.trace.seconds = seconds_since(start);
    return std::move(run.trace);
}

void PassManager::run_steps(Run& run, std::span<const Step> steps, const std::string& place) {
    for (const Step& step : steps) {
        if (step.kind == Step::Kind::Fixpoint) {
            run_fixpoint(run, step, place);
        } else if (step.kind == Step::Kind::Pipeline) {
            const Pipeline* nested = find_pipeline(step.name);
            if (nested == nullptr) throw Error(ErrorKind::Usage, concat("there is no pipeline '", step.name, "'"));
            run_steps(run, nested->steps, concat(place, "/", step.name));
        } else {
            const Pass* pass = find_pass(step.name);
            if (pass == nullptr) throw Error(ErrorKind::Usage, concat("there is no pass '", step.name, "'"));
            run_pass(run, *pass, place);
        }
    }
}

void PassManager::run_fixpoint(Run& run, const Step& step, const std::string& place) {
    for (int round = 1; round <= kMostRounds; ++round) {
        const std::uint64_t before = run.hash;
        run_steps(run, step.steps, concat(place, "/fixpoint ", round));
        if (run.hash == before) return;
    }
    throw Error(ErrorKind::Internal, concat("fixpoint(", steps_text(step.steps), ") still changes the graph after ",
                                            kMostRounds, " rounds"));
}

void PassManager::run_pass(Run& run, const Pass& pass, const std::string& place) {
    check_cancelled();
    PassRecord record;
    record.pass = &pass;
    record.index = run.trace.records.size();
    record.place = place;
    record.nodes_before = record.nodes_after = count_nodes(run.graph);
    record.after = run.trace.result();
    record.was_run =
        std::all_of(listeners_.begin(), listeners_.end(), [&](PassListener* l) { return l->should_run(record); });
    if (record.was_run) {
        for (PassListener* listener : listeners_) listener->before(record, run.graph);
        try {
            apply(run, pass, record);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            record.error = error.message();
            record.changed = true;
            record.after = snapshot_of_wrong(run.graph);
            run.trace.records.push_back(std::move(record));
            throw;
        }
        for (PassListener* listener : listeners_) listener->after(record, run.graph);
    }
    run.trace.records.push_back(std::move(record));
}

void PassManager::apply(Run& run, const Pass& pass, PassRecord& record) {
    run.graph.begin_pass();
    const auto start = std::chrono::steady_clock::now();
    pass.run(run.graph, run.context);
    record.seconds = seconds_since(start);
    record.nodes_after = count_nodes(run.graph);
    const std::uint64_t hash = run.graph.structural_hash();
    record.changed = hash != run.hash;
    if (!record.changed) return;
    if (verify_) {
        try {
            ir::verify(run.graph);
        } catch (const Error& error) {
            throw Error(ErrorKind::Internal,
                        concat("pass ", pass.name, " (", record.place, ") left a wrong graph: ", error.message()));
        }
    }
    run.hash = hash;
    record.after = snapshot(run.graph, hash);
}

}  // namespace loupe::passes
