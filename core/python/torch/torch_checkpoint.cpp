// SPDX-License-Identifier: Apache-2.0
// torch.utils.checkpoint and torch.autograd.graph.

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/nn/utils/checkpoint.h"
#include "core/python/language/arguments.h"
#include "core/python/language/context_manager.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

nn::CheckpointedFunction called(const IValue& function) {
    return [function](CallArguments arguments) { return call(function, std::move(arguments)); };
}

// Takes a keyword out of the arguments.
std::optional<IValue> taken(CallArguments& arguments, std::string_view name) {
    for (auto keyword = arguments.keywords.begin(); keyword != arguments.keywords.end(); ++keyword) {
        if (keyword->first != name) continue;
        IValue value = std::move(keyword->second);
        arguments.keywords.erase(keyword);
        return value;
    }
    return std::nullopt;
}

nn::CheckpointOptions options_in(CallArguments& arguments) {
    nn::CheckpointOptions out{.use_reentrant = true, .preserve_rng_state = true};
    if (const auto value = taken(arguments, "use_reentrant")) out.use_reentrant = truth(*value);
    if (const auto value = taken(arguments, "preserve_rng_state")) out.preserve_rng_state = truth(*value);
    return out;
}

void refuse_keywords(const CallArguments& arguments) {
    if (arguments.keywords.empty()) return;
    std::vector<std::string> names;
    for (const auto& [name, value] : arguments.keywords) names.push_back(name);
    throw_value_error(concat("Unexpected keyword arguments: ", join(names, ",")));
}

IValue checkpoint(CallArguments arguments) {
    const nn::CheckpointOptions options = options_in(arguments);
    IValue function;
    if (const auto named = taken(arguments, "function")) {
        function = *named;
    } else {
        if (arguments.positional.empty())
            throw_type_error("checkpoint() missing 1 required positional argument: 'function'");
        function = arguments.positional[0];
        arguments = behind_self(std::move(arguments));
    }
    if (options.use_reentrant) refuse_keywords(arguments);
    return with_python_errors([&] { return nn::checkpoint(called(function), std::move(arguments), options); });
}

IValue checkpoint_sequential(CallArguments arguments) {
    const nn::CheckpointOptions options = options_in(arguments);
    CallArguments own;
    own.positional = std::move(arguments.positional);
    for (const char* name : {"functions", "segments", "input"}) {
        if (auto value = taken(arguments, name)) own.keywords.emplace_back(name, std::move(*value));
    }
    refuse_keywords(arguments);
    const BoundArguments given(own, "checkpoint_sequential", {"functions", "segments", "input"});
    std::vector<nn::CheckpointedFunction> functions;
    for (const IValue& function : to_vector(given[0])) functions.push_back(called(function));
    const std::int64_t segments = to_index(given[1]);
    if (segments == 0) throw_error("ZeroDivisionError", "integer division or modulo by zero");
    return with_python_errors([&] { return nn::checkpoint_sequential(functions, segments, given[2], options); });
}

// What a pack hook of the program gave.
class PackedValue final : public PackedTensor {
  public:
    PackedValue(IValue value, IValue unpack) : value_(std::move(value)), unpack_(std::move(unpack)) {}
    Tensor unpack() override {
        const IValue result = call(unpack_, std::vector<IValue>{value_});
        if (!result.is_tensor())
            throw_type_error(
                concat("Output of saved tensor unpack_hook expected to be a Tensor but got result of type ",
                       type_name(result)));
        return result.to_tensor();
    }

  private:
    IValue value_;
    IValue unpack_;
};

IValue saved_tensors_hooks(CallArguments arguments) {
    const BoundArguments given(arguments, "__init__", {"pack_hook", "unpack_hook"});
    const PackHook pack = [pack_hook = given[0], unpack = given[1]](const Tensor& t) -> Ptr<PackedTensor> {
        return make_ptr<PackedValue>(call(pack_hook, std::vector<IValue>{t}), unpack);
    };
    return make_scope(
        "saved_tensors_hooks", "torch.autograd.graph",
        [pack] { return with_python_errors([&] { return std::make_shared<SavedTensorHooks>(pack); }); },
        [] { return IValue(); });
}
IValue save_on_cpu(CallArguments arguments) {
    const BoundArguments given(arguments, "__init__", {"pin_memory="});
    return make_scope(
        "save_on_cpu", "torch.autograd.graph",
        [] { return with_python_errors([] { return std::make_shared<SavedTensorHooks>(nn::save_on_cpu()); }); },
        [] { return IValue(); });
}
IValue disable_saved_tensors_hooks(CallArguments arguments) {
    const BoundArguments given(arguments, "disable_saved_tensors_hooks", {"error_message"});
    return make_scope(
        "_GeneratorContextManager", "contextlib",
        [message = str(given[0])] {
            return with_python_errors([&] { return std::make_shared<SavedTensorHooksDisabled>(message); });
        },
        [] { return IValue(); });
}

}  // namespace

void fill_checkpoint(PythonModule& module) {
    module.define("checkpoint", checkpoint);
    module.define("checkpoint_sequential", checkpoint_sequential);
}

void fill_autograd_graph(PythonModule& module) {
    module.define("saved_tensors_hooks", saved_tensors_hooks);
    module.define("save_on_cpu", save_on_cpu);
    module.define("disable_saved_tensors_hooks", disable_saved_tensors_hooks);
}

}  // namespace loupe::python
