// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "app/cli/commands.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/inputs.h"
#include "core/model/script_output.h"
#include "core/record/compute_statistics.h"
#include "core/record/run_phases.h"

namespace loupe::cli {

TensorList execute(const PreparedRun& run) {
    if (run.backward) {
        run.program->module().zero_grad();
        session::require_input_gradients(run.arguments);
        for (const IValue& argument : run.arguments) {
            visit_tensors(argument, [](const Tensor& t) {
                if (t.defined() && autograd_meta(t) != nullptr) set_grad(t, Tensor());
            });
        }
    }
    const session::WarningScope warnings([&run](const session::ScriptWarning& warning) { run.notice(warning.line()); });
    try {
        TensorList outputs;
        session::run_phases(*run.method, run.arguments, run.backward.get(),
                            [&](const IValue& result) { outputs = session::flatten_tensors(result); });
        return outputs;
    } catch (Error& error) {
        // Missing operators are reported as part of the file's information.
        if (error.kind() == ErrorKind::Unsupported) error.add_context({.file = run.program->info()->path});
        throw;
    }
}

std::unique_ptr<session::Recorder> make_recorder(const PreparedRun& run, session::RecorderOptions options) {
    return session::make_recorder(std::move(options), *run.method, run.program->module(), run.arguments,
                                  run.method->schema());
}

namespace {

double norm_of(const Tensor& grad) {
    if (!grad.defined()) return 0;
    const session::Statistics statistics = session::compute_statistics(grad);
    return statistics.nan_count > 0   ? std::nan("")
           : statistics.inf_count > 0 ? HUGE_VAL
           : statistics.finite        ? statistics.finite->norm
                                      : 0;
}

}  // namespace

NamedTensors collect_outputs(const PreparedRun& run, const TensorList& outputs, Gradients gradients) {
    NamedTensors all;
    for (std::size_t i = 0; i < outputs.size(); ++i) all.emplace_back(concat("out", i), detach(outputs[i]));
    for (std::size_t i = 0; gradients.arguments && i < run.arguments.size(); ++i) {
        const bool is_alone = run.arguments[i].is_tensor();
        std::size_t element = 0;
        visit_tensors(run.arguments[i], [&](const Tensor& t) {
            const std::string name = is_alone ? concat("grad.arg", i) : concat("grad.arg", i, ".", element++);
            if (t.defined() && grad_of(t).defined()) all.emplace_back(name, grad_of(t));
        });
    }
    for (const auto& [name, parameter] : run.program->module().named_parameters()) {
        const Tensor grad = grad_of(parameter);
        if (gradients.parameters && grad.defined()) all.emplace_back(concat("grad.param.", name), grad);
        if (gradients.norms)
            all.emplace_back(concat("gradnorm.", name), scalar_tensor(norm_of(grad), ScalarType::Float64));
    }
    return all;
}

}  // namespace loupe::cli
