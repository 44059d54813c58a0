// SPDX-License-Identifier: Apache-2.0
// The module sys.
#include <limits>

#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/code_object.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/frame.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

// What prints to: file=sys.stderr.
IValue output_stream(std::string name, void (Evaluator::*write)(std::string_view) const) {
    auto cls = make_ptr<ClassObject>("TextIOWrapper", "_io", std::vector<ClassPtr>{builtin_classes().object});
    cls->set_builtin(nullptr);
    cls->define("write", [write](CallArguments a) -> IValue {
        check_positional(a, "write", 2, 2);
        if (const Evaluator* evaluator = Evaluator::current()) (evaluator->*write)(str(a.positional[1]));
        return text_length(str(a.positional[1]));
    });
    cls->define("flush", [](CallArguments) { return IValue(); });
    auto instance = make_ptr<Instance>(cls);
    instance->attributes.set("name", IValue(std::move(name)));
    return IValue::other(instance);
}

IValue make_float_info() {
    using Limits = std::numeric_limits<double>;
    const ClassPtr cls = make_named_tuple_class("float_info", "sys", {"max", "min", "epsilon", "dig", "mant_dig"},
                                                std::vector<IValue>{});
    return call(IValue::other(cls),
                std::vector<IValue>{IValue(Limits::max()), IValue(Limits::min()), IValue(Limits::epsilon()),
                                    IValue(std::int64_t{Limits::digits10}), IValue(std::int64_t{Limits::digits})});
}

}  // namespace

void fill_sys(PythonModule& module) {
    module.define("maxsize", IValue(INT64_MAX));
    module.define("version", IValue("3.11 (Tensorloupe)"));
    const ClassPtr version = make_named_tuple_class(
        "version_info", "sys", {"major", "minor", "micro", "releaselevel", "serial"}, std::vector<IValue>{});
    module.define("version_info", call(IValue::other(version), std::vector<IValue>{IValue(3), IValue(11), IValue(0),
                                                                                   IValue("final"), IValue(0)}));
    module.define("executable", IValue(""));
    module.define("float_info", make_float_info());
    module.define("flags", make_tuple({}));
    module.define("intern", [](CallArguments a) { return a.positional.at(0); });
    module.define("_getframe", [](CallArguments a) {
        const BoundArguments given(a, "_getframe", {"depth="});
        const Frame* frame = thread_state().top;
        for (std::int64_t i = given.int_or(0, 0); i > 0 && frame != nullptr; --i) frame = frame->caller;
        if (frame == nullptr) throw_error("ValueError", "call stack is not deep enough");
        return frame_object(frame);
    });
    module.define("platform", IValue("linux"));
    module.define("byteorder", IValue("little"));
    module.define("argv", make_list({IValue("")}));
    module.define("path", make_list({}));
    module.define("modules", IValue(Evaluator::current()->state().published_modules));
    const IValue output = output_stream("<stdout>", &Evaluator::write);
    Evaluator::current()->state().standard_output = output;
    module.define("stdout", output);
    module.define("__stdout__", output);
    module.define("stderr", output_stream("<stderr>", &Evaluator::write_error));
    module.define("getrecursionlimit",
                  [](CallArguments) { return IValue(Evaluator::current()->state().recursion_limit); });
    module.define("setrecursionlimit", [](CallArguments a) {
        check_positional(a, "setrecursionlimit", 1, 1);
        const std::int64_t limit = a.positional[0].to_int();
        if (limit < 1) throw_error("ValueError", "recursion limit must be greater or equal than 1");
        Evaluator::current()->state().recursion_limit = limit;
        return IValue();
    });
    module.define("getsizeof", [](CallArguments) { return IValue(64); });
    module.define("exc_info", [](CallArguments) {
        for (const Frame* frame = thread_state().top; frame != nullptr; frame = frame->caller) {
            if (!frame->handled) continue;
            return make_tuple({IValue::other(frame->handled->cls()), IValue::other(frame->handled), IValue()});
        }
        return make_tuple({IValue(), IValue(), IValue()});
    });
    module.define("exit", [](CallArguments a) -> IValue {
        throw PythonError(make_ptr<ExceptionObject>(exception_class("SystemExit"), std::move(a.positional)));
    });
}

}  // namespace loupe::python
