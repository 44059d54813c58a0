// SPDX-License-Identifier: Apache-2.0
#include "core/study/plan_memory.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/strings.h"
#include "core/model/graph_builder.h"
#include "core/model/pipelines.h"
#include "core/passes/graph_breaks.h"
#include "core/passes/pass_list.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/planned/static_group.h"
#include "core/runtime/trace/tracer.h"
#include "core/study/compile_mode.h"
#include "core/study/plan_parts.h"
#include "core/tensor/allocation_observers.h"

namespace loupe::session {
namespace {

// Bytes beyond those there were when it was made.
class PeakCounter final : public AllocationObserver {
  public:
    void on_allocation(const AllocationEvent& event) noexcept override {
        const auto bytes = static_cast<std::int64_t>(event.bytes);
        if (!event.is_free) ++allocations_;
        const std::int64_t now = now_ += event.is_free ? -bytes : bytes;
        std::int64_t peak = peak_;
        while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
        }
    }
    void restart() {
        peak_ = now_.load();
        allocations_ = 0;
    }
    std::int64_t now() const { return now_; }
    std::int64_t peak() const { return peak_; }
    std::int64_t allocations() const { return allocations_; }

  private:
    std::atomic<std::int64_t> now_{0};
    std::atomic<std::int64_t> peak_{0};
    std::atomic<std::int64_t> allocations_{0};
    AllocationObserverScope observing_{*this};  // last: counts are there before the first event, and after the last
};

class Planner {
  public:
    Planner(Ptr<ir::Graph> graph, const nn::ModulePtr& module, const std::string& method, bool takes_self)
        : graph_(std::move(graph)),
          module_(module),
          takes_self_(takes_self),
          built_(build_graph_model(*graph_, takes_self ? module : nullptr, method)) {
        note_nodes(*graph_->block());
    }

    MemoryPlanReport report(const std::function<std::vector<IValue>()>& arguments) {
        report_.graph = built_.model;
        // Split as compiling does it: also where only a run shows that no program can hold a node.
        const PlannedParts parts = split_into_parts(graph_, module_, takes_self_, arguments);
        for (const passes::GraphBreak& found : passes::find_graph_breaks(*parts.marked))
            report_.breaks.push_back(shown(found.node, found.reason));
        report_.interpreter_peak = peak_of(graph_, 3, false, arguments);
        report_.planned_peak = peak_of(parts.planned, 6, true, arguments);
        return std::move(report_);
    }

  private:
    void note_nodes(const ir::Block& block) {
        for (const ir::Node* node : block.nodes()) {
            by_id_[node->id()] = node;
            for (std::size_t b = 0; b < node->block_count(); ++b) note_nodes(*node->block_at(b));
        }
    }

    // Of a node of the graph, or of a copy in a segment.
    int model_node(const ir::Node* node) const {
        if (node == nullptr) return -1;
        const auto own =
            by_id_.find(node->provenance().pass == "FuseStaticSubgraphs" && !node->provenance().nodes.empty()
                            ? node->provenance().nodes.front()
                            : node->id());
        return own == by_id_.end() ? -1 : built_.sites.find(SiteMap::kTop, own->second);
    }

    GraphBreak shown(const ir::Node* node, const std::string& reason) const {
        GraphBreak found;
        found.reason = reason;
        if (node == nullptr) return found;
        found.graph_node = model_node(node);
        found.op = node->kind().str();
        found.scope = node->scope();
        if (const auto place = node->range().original().position())
            found.source = {place->file, static_cast<int>(place->line), static_cast<int>(place->column)};
        return found;
    }

    // Of the last of so many runs, without its inputs; with what the code keeps between runs, or without it.
    std::int64_t peak_of(const Ptr<ir::Graph>& graph, int runs, bool counts_kept,
                         const std::function<std::vector<IValue>()>& arguments) {
        PeakCounter counter;
        const auto code = runtime::Code::make(graph, "plan");
        const MemoryCategoryScope category(MemoryCategory::Activation);
        std::int64_t others = 0;
        for (int i = 0; i < runs; ++i) {
            const std::int64_t kept = counter.now();
            std::vector<IValue> inputs = arguments();
            others = counts_kept ? counter.now() - kept : counter.now();
            if (inputs.size() + (takes_self_ ? 1 : 0) != graph->inputs().size())
                inputs = runtime::traced_inputs(std::move(inputs));
            if (takes_self_) inputs.insert(inputs.begin(), IValue(Ptr<Object>(module_)));
            // The caller holds them while the graph runs.
            const std::vector<IValue> held = inputs;
            counter.restart();
            runtime::run_code(*code, std::move(inputs));
            report_.allocations = counter.allocations();
        }
        for (const runtime::StaticGroupPlace& place : runtime::static_groups(*code)) add_part(*place.group);
        return counter.peak() - others;
    }

    void add_part(const runtime::StaticGroup& group) {
        PlannedPart part;
        part.refusal = group.refusal();
        if (!part.refusal.empty()) report_.breaks.push_back(shown(group.refused_at(), part.refusal));
        if (const runtime::StaticProgram* program = group.program()) fill(part, program->plan());
        // The parts run one after another, in one block.
        report_.planned_bytes += part.result_bytes + std::max<std::int64_t>(0, part.block_bytes - block_bytes_);
        block_bytes_ = std::max(block_bytes_, part.block_bytes);
        report_.unplanned_bytes += part.total_bytes;
        report_.parts.push_back(std::move(part));
    }

    void fill(PlannedPart& part, const runtime::ProgramPlan& plan) const {
        const auto step = [](std::size_t index) { return static_cast<int>(index); };
        for (const runtime::ProgramStep& own : plan.steps) {
            part.steps.push_back({own.name, model_node(own.node),
                                  own.node != nullptr ? own.node->scope() : std::string(),
                                  static_cast<std::int64_t>(own.live_bytes)});
        }
        for (const runtime::PlannedBuffer& own : plan.buffers) {
            const bool is_own = own.takes_over == runtime::PlannedBuffer::kNone;
            part.buffers.push_back({static_cast<PlannedMemory::Use>(own.use), static_cast<std::int64_t>(own.bytes),
                                    static_cast<std::int64_t>(own.offset), step(own.first), step(own.last),
                                    is_own ? -1 : step(own.takes_over)});
        }
        part.block_bytes = static_cast<std::int64_t>(plan.arena_bytes);
        part.result_bytes = static_cast<std::int64_t>(plan.result_bytes);
        part.total_bytes = static_cast<std::int64_t>(plan.total_bytes);
        part.peak_bytes = static_cast<std::int64_t>(plan.peak_bytes);
    }

    Ptr<ir::Graph> graph_;
    nn::ModulePtr module_;
    bool takes_self_;
    BuiltGraph built_;
    std::unordered_map<std::uint32_t, const ir::Node*> by_id_;
    std::int64_t block_bytes_ = 0;  // of the largest part
    MemoryPlanReport report_;
};

}  // namespace

Said GraphBreak::line() const {
    Said text = op;
    if (!scope.empty()) text += engine::said(" in %1", scope);
    if (!source.file.empty()) text += concat(" (", source.file, ":", source.line, ")");
    return said_in_row(text, text.empty() ? "" : ": ", reason);
}

Said MemoryPlanReport::line() const {
    if (!error.empty() || pipeline.empty()) return error;
    const auto planned =
        std::count_if(parts.begin(), parts.end(), [](const PlannedPart& p) { return p.refusal.empty(); });
    const auto bytes = [](std::int64_t count) { return format_bytes(static_cast<double>(count)); };
    const Said found = engine::said("%1 graph breaks", "%1 graph break", breaks.size());
    if (planned == 0) return engine::said("no part of the graph after %1 can be planned, %2", pipeline, found);
    const Said when = not_in_force.empty()
                          ? engine::said("reduce-overhead and max-autotune run it so, without backward")
                          : engine::said("not in force: %1", not_in_force);
    return engine::said(
        "%2 of %1 parts planned: %3, %4 if every buffer had its own; measured peak %5 instead of %6; %7 allocations a "
        "run; %8; %9",
        "%2 of %1 part planned: %3, %4 if every buffer had its own; measured peak %5 instead of %6; %7 allocations a "
        "run; %8; %9",
        parts.size(), planned, bytes(planned_bytes), bytes(unplanned_bytes), bytes(planned_peak),
        bytes(interpreter_peak), allocations, found, when);
}

MemoryPlanReport plan_memory(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                             const std::string& method, const std::function<std::vector<IValue>()>& arguments) {
    const GradModeScope no_grad(false);
    const ObserverScope unobserved(nullptr);
    const Ptr<ir::Graph> ready =
        pipeline.empty() || pipeline == "none" ? graph.copy() : run_pipeline(pipeline, graph, module, arguments());
    const bool takes_self = ready->inputs().size() == graph.inputs().size();
    MemoryPlanReport report = Planner(ready, module, method, takes_self).report(arguments);
    report.pipeline = pipeline.empty() ? "none" : pipeline;
    report.not_in_force = why_not_planned(CompileMode::ReduceOverhead, false, module && module->is_training());
    return report;
}

}  // namespace loupe::session
