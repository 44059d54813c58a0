// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/operators.h"

#include "core/autograd/observer.h"
#include "core/autograd/phase.h"
#include "core/base/error.h"

namespace loupe::distributed {

void run_observed(std::string_view name, const TensorList& inputs, const std::function<TensorList()>& run) {
    ExecutionObserver* observer = observer_of_direct_calls();
    if (observer == nullptr) {
        run();
        return;
    }
    const std::vector<IValue> given(inputs.begin(), inputs.end());
    OperatorCall call;
    call.phase = current_phase();
    call.name = name;
    call.inputs = given;
    const NestedCallScope nested;
    observer->before_operator(call);
    TensorList outputs;
    try {
        outputs = run();
    } catch (const Error& error) {
        observer->on_exception(error);
        throw;
    }
    const std::vector<IValue> made(outputs.begin(), outputs.end());
    call.outputs = made;
    observer->after_operator(call);
}

WorkPtr launch_observed(std::string_view name, const TensorList& inputs, bool is_async,
                        const std::function<WorkPtr()>& launch) {
    WorkPtr work;
    run_observed(name, inputs, [&]() -> TensorList {
        work = launch();
        if (is_async) return {};
        work->wait();
        return work->results();
    });
    return work;
}

void wait_observed(Work& work, std::chrono::milliseconds timeout) {
    if (work.is_settled()) return work.wait(timeout);
    run_observed("c10d::wait", {}, [&] {
        work.wait(timeout);
        return work.results();
    });
}

}  // namespace loupe::distributed
