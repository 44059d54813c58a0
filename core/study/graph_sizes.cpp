// SPDX-License-Identifier: Apache-2.0
#include "core/study/graph_sizes.h"

#include <chrono>
#include <unordered_map>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/functions.h"
#include "core/model/program.h"
#include "core/model/script_output.h"
#include "core/ops/random/generator.h"
#include "core/passes/fake_run.h"
#include "core/record/module_slots.h"
#include "core/record/recorder.h"
#include "core/runtime/interpreter/print.h"
#include "core/tensor/quantizer.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

constexpr auto kLongest = std::chrono::milliseconds(500);
// Those of fewer elements may be sizes, indices, counters: they are copied.
constexpr std::int64_t kFew = 512;

// In its scope modules hold stand-ins of their tensors: fakes, and copies of small ones.
class StandIns {
  public:
    explicit StandIns(nn::Module& module) : random_(random_state()) {
        const GradModeScope no_grad(false);
        for (const auto& [name, part] : module.named_modules()) {
            modules_.emplace_back(part, slots_of(*part));
            std::vector<IValue> slots;
            for (const IValue& slot : modules_.back().second) slots.push_back(of(slot));
            put_slots(*part, slots);
        }
    }
    StandIns(const StandIns&) = delete;
    StandIns& operator=(const StandIns&) = delete;
    ~StandIns() {
        for (const auto& [module, slots] : modules_) put_slots(*module, slots);
        set_random_state(random_);
    }

    IValue of(const IValue& value) {
        return copy_with_tensors(value, [this](const Tensor& t) { return of_tensor(t); });
    }

  private:
    Tensor of_tensor(const Tensor& t) {
        const auto [found, is_new] = made_.try_emplace(t.impl());
        if (is_new) {
            const bool is_plain = t.is_host_memory() && t.impl()->sparse == nullptr && t.numel() > kFew;
            found->second = is_plain ? passes::fake_tensor(t.sizes(), t.dtype(), t.strides()) : fn::clone(t);
        }
        return found->second;
    }

    std::vector<std::pair<nn::ModulePtr, std::vector<IValue>>> modules_;
    std::unordered_map<const TensorImpl*, Tensor> made_;
    RandomState random_;
};

GraphSizes::Output size_of(const IValue& value) {
    if (!value.is_tensor() || !value.to_tensor().defined()) return {};
    const Tensor t = value.to_tensor();
    return {{t.sizes().begin(), t.sizes().end()}, std::string(shown_dtype(t))};
}

GraphSizes sizes_in(const Recording& recording) {
    GraphSizes sizes;
    std::unordered_map<int, std::size_t> places;
    for (EventId id = 1; id <= static_cast<EventId>(recording.event_count()); ++id) {
        const Event& event = recording.event(id);
        if (event.graph_node < 0 || event.failed) continue;
        const auto [place, is_new] = places.try_emplace(event.graph_node, sizes.nodes.size());
        if (is_new) sizes.nodes.push_back({event.graph_node, {}});
        auto& outputs = sizes.nodes[place->second].outputs;
        outputs.clear();
        for (const ValueId output : event.outputs) {
            if (output == 0) {
                outputs.emplace_back();
                continue;
            }
            const Value& value = recording.value(output);
            outputs.push_back({{value.shape.begin(), value.shape.end()}, std::string(value.dtype)});
        }
    }
    return sizes;
}

}  // namespace

GraphSizes graph_sizes(const std::shared_ptr<Program>& program, const std::string& method,
                       const std::vector<IValue>& arguments) {
    if (program->is_eager() && program->trace() == nullptr) return {};
    const PreparedMethod prepared = program->is_eager()
                                        ? PreparedMethod(program, method, program->trace()->forward->graph())
                                        : PreparedMethod(program, method, "none");
    Recorder recorder({.statistics = false, .values = false}, prepared.build_graph(), nullptr, {});
    std::string ended;
    {
        nn::Module& module = *program->script_module();
        StandIns stand_ins(module);
        std::vector<IValue> given;
        for (const IValue& argument : arguments) given.push_back(stand_ins.of(argument));
        name_existing_tensors(recorder, module, given, prepared.schema());
        const GradModeScope no_grad(false);
        const AutocastScope as_it_is(autocast_settings());
        const WarningScope no_warnings([](const ScriptWarning&) {});
        const runtime::PrintScope no_prints([](std::string_view) {});
        const DeadlineScope deadline(kLongest);
        passes::DryKernels kernels;
        const InterceptorScope dry(&kernels);
        const ObserverScope observed(&recorder);
        try {
            prepared.forward(std::move(given));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
            ended = error.what();
        }
    }
    recorder.finish();
    GraphSizes sizes = sizes_in(*recorder.recording());
    for (const IValue& argument : arguments) sizes.inputs.push_back(size_of(argument));
    sizes.error = std::move(ended);
    return sizes;
}

}  // namespace loupe::session
