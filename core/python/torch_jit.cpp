// SPDX-License-Identifier: Apache-2.0
// torch.jit as a program that runs eagerly sees it: script and trace give back what they get, decorators do nothing.

#include "core/python/arguments.h"
#include "core/python/error.h"
#include "core/python/torch_module.h"

namespace loupe::python {
namespace {

IValue is_no(CallArguments) { return false; }

// @torch.jit.unused, @torch.jit.ignore(drop=True).
IValue decorator(CallArguments arguments) {
    if (!arguments.positional.empty() && arguments.positional[0].is_other()) return arguments.positional[0];
    return IValue::other(make_ptr<NativeCallable>("decorator", first_argument));
}

IValue annotate(CallArguments arguments) {
    check_positional(arguments, "annotate", 2, 2);
    return arguments.positional[1];
}
IValue attribute(CallArguments arguments) {
    check_positional(arguments, "Attribute", 1, 2);
    return arguments.positional[0];
}

// torch.jit.Final[int] in annotations.
class FinalObject final : public PythonObject {
  public:
    std::string type_name() const override { return "Final"; }
    IValue get_item(const IValue& key) override { return key; }
    std::string repr() override { return "typing.Final"; }
};

}  // namespace

void fill_torch_jit(PythonModule& module) {
    using Body = NativeCallable::Body;
    for (const char* name : {"script", "trace", "trace_module", "freeze", "optimize_for_inference"}) {
        module.define(name, Body(first_argument));
    }
    for (const char* name : {"ignore", "unused", "export", "interface", "script_method", "script_if_tracing"}) {
        module.define(name, Body(decorator));
    }
    module.define("is_scripting", Body(is_no));
    module.define("is_tracing", Body(is_no));
    module.define("annotate", Body(annotate));
    module.define("Attribute", Body(attribute));
    module.define("Final", IValue::other(make_ptr<FinalObject>()));
}

}  // namespace loupe::python
