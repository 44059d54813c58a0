// SPDX-License-Identifier: Apache-2.0
#include "core/study/check_passes.h"

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/model/inputs.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/study/compare.h"

namespace loupe::session {
namespace {

TensorList outputs_of(const Ptr<ir::Graph>& graph, const nn::ModulePtr& module, bool takes_self,
                      std::vector<IValue> arguments) {
    if (takes_self) arguments.insert(arguments.begin(), IValue(Ptr<Object>(module)));
    const auto code = runtime::Code::make(graph, "check");
    TensorList all;
    for (const IValue& result : runtime::run_code(*code, std::move(arguments))) {
        for (const Tensor& t : flatten_tensors(result)) all.push_back(t);
    }
    return all;
}

void hold_against(const TensorList& actual, const TensorList& expected, PassCheck& check) {
    if (actual.size() != expected.size()) {
        check.error = "another number of outputs";
        return;
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const TensorDifference difference = compare_tensors(actual[i], expected[i], 0, 0);
        if (!difference.why.empty()) check.error = difference.why;
        check.max_abs = std::max(check.max_abs, difference.max_abs);
        check.max_rel = std::max(check.max_rel, difference.max_rel);
    }
}

}  // namespace

PassChecks check_passes(const std::string& pipeline, const ir::Graph& graph, const nn::ModulePtr& module,
                        const std::function<std::vector<IValue>()>& arguments) {
    PassChecks checks;
    if (module->is_training()) {
        throw Error(ErrorKind::Usage, "the model is in training mode, where two runs differ by themselves",
                    {.hint = "run once in eval mode first"});
    }
    const GradModeScope no_grad(false);
    const Ptr<ir::Graph> copy = graph.copy();
    const TensorList expected = outputs_of(copy->copy(), module, true, arguments());
    passes::PassManager manager;
    passes::PassTrace trace;
    try {
        trace = manager.run(*copy, passes::pipeline_of(pipeline), {module});
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled || manager.failed_trace().records.empty()) throw;
        trace = manager.failed_trace();
    }
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        const passes::PassRecord& record = trace.records[i];
        if (!record.changed || !record.after) continue;
        PassCheck check;
        check.pass = std::string(record.pass->name);
        check.step = i;
        if (!record.error.empty()) {
            check.error = record.error;
            checks.steps.push_back(std::move(check));
            continue;
        }
        try {
            const bool takes_self = record.after->graph->inputs().size() == graph.inputs().size();
            hold_against(outputs_of(record.after->graph->copy(), module, takes_self, arguments()), expected, check);
        } catch (const Error& error) {
            check.error = error.what();
        }
        checks.steps.push_back(std::move(check));
    }
    return checks;
}

}  // namespace loupe::session
