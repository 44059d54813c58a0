// SPDX-License-Identifier: Apache-2.0
#include "core/record/run_phases.h"

#include <utility>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/record/collective_notes.h"
#include "core/tensor/device_interface.h"

namespace loupe::session {

StatementScope::StatementScope(const Program& program, Recorder& recorder) : eager_(program.file().eager.get()) {
    if (eager_ == nullptr) return;
    recorder.name_modules(program.module());
    if (!recorder.parks()) return;
    eager_->set_statement_hook(
        [&recorder](EagerModel::Statement statement) { recorder.before_statement(std::move(statement)); });
}
StatementScope::~StatementScope() {
    if (eager_ != nullptr) eager_->set_statement_hook(nullptr);
}

std::unique_ptr<Recorder> make_recorder(RecorderOptions options, const PreparedMethod& method, nn::Module& module,
                                        const std::vector<IValue>& arguments, const FunctionSchema& schema,
                                        StopControl* control, Recorder::Park park) {
    auto recorder = std::make_unique<Recorder>(std::move(options), method.build_graph(), control, std::move(park));
    name_existing_tensors(*recorder, module, arguments, schema);
    return recorder;
}

void record(const Program& program, Recorder& recorder, const std::function<void()>& run) {
    try {
        const ObserverScope observed(&recorder);
        const OperatorOpenerScope opened(recorder.opener());
        const CollectiveNotes collectives(recorder);
        const StatementScope statements(program, recorder);
        run();
        recorder.catch_up();
    } catch (...) {
        recorder.finish();
        throw;
    }
    recorder.finish();
}

void record_source(Recorder& recorder, const std::function<void()>& run) {
    recorder.name_roots_as_called();
    try {
        const ObserverScope observed(&recorder);
        const OperatorOpenerScope opened(recorder.opener());
        const CollectiveNotes collectives(recorder);
        run();
        recorder.catch_up();
    } catch (...) {
        recorder.finish();
        throw;
    }
    recorder.finish();
}

void require_input_gradients(const std::vector<IValue>& arguments) {
    for (const IValue& argument : arguments) {
        visit_tensors(argument, [](const Tensor& t) {
            if (t.defined() && is_differentiable(t.dtype()) && is_leaf(t)) set_requires_grad(t, true);
        });
    }
}

void run_phases(const PreparedMethod& method, std::vector<IValue> arguments, const BackwardSource* backward,
                const std::function<void(const IValue&)>& on_result) {
    const GradModeScope grad(backward != nullptr);
    BackwardRoots roots;
    {
        const MemoryCategoryScope category(MemoryCategory::Activation);
        const IValue result = method.forward(std::move(arguments));
        if (on_result) on_result(result);
        if (backward != nullptr) roots = backward->roots(method, result);
    }
    if (backward == nullptr) return;
    const MemoryCategoryScope category(MemoryCategory::Gradient);
    run_backward(roots);
}

void wait_for_devices() { synchronize_devices(); }

}  // namespace loupe::session
