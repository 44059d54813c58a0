// SPDX-License-Identifier: Apache-2.0
// The classes of built-in exceptions.
#include <map>

#include "core/python/language/builtin_objects.h"

namespace loupe::python {
namespace {

struct ExceptionName {
    std::string_view name;
    std::string_view base;
};

constexpr ExceptionName kExceptions[] = {
    {"Exception", "BaseException"},
    {"SystemExit", "BaseException"},
    {"KeyboardInterrupt", "BaseException"},
    {"GeneratorExit", "BaseException"},
    {"ArithmeticError", "Exception"},
    {"FloatingPointError", "ArithmeticError"},
    {"OverflowError", "ArithmeticError"},
    {"ZeroDivisionError", "ArithmeticError"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"BufferError", "Exception"},
    {"EOFError", "Exception"},
    {"ImportError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"LookupError", "Exception"},
    {"IndexError", "LookupError"},
    {"KeyError", "LookupError"},
    {"MemoryError", "Exception"},
    {"NameError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"OSError", "Exception"},
    {"FileNotFoundError", "OSError"},
    {"FileExistsError", "OSError"},
    {"IsADirectoryError", "OSError"},
    {"NotADirectoryError", "OSError"},
    {"UnsupportedOperation", "OSError"},
    {"ReError", "Exception"},
    {"PermissionError", "OSError"},
    {"TimeoutError", "OSError"},
    {"ConnectionError", "OSError"},
    {"BrokenPipeError", "ConnectionError"},
    {"ConnectionAbortedError", "ConnectionError"},
    {"ConnectionRefusedError", "ConnectionError"},
    {"ConnectionResetError", "ConnectionError"},
    {"BlockingIOError", "OSError"},
    {"ChildProcessError", "OSError"},
    {"InterruptedError", "OSError"},
    {"ProcessLookupError", "OSError"},
    {"ReferenceError", "Exception"},
    {"RuntimeError", "Exception"},
    {"NotImplementedError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"_LinAlgError", "RuntimeError"},
    {"OutOfMemoryError", "RuntimeError"},
    {"AcceleratorError", "RuntimeError"},
    {"StopIteration", "Exception"},
    {"StopAsyncIteration", "Exception"},
    {"SyntaxError", "Exception"},
    {"IndentationError", "SyntaxError"},
    {"TabError", "IndentationError"},
    {"SystemError", "Exception"},
    {"TypeError", "Exception"},
    {"ValueError", "Exception"},
    {"UnicodeError", "ValueError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"UnicodeTranslateError", "UnicodeError"},
    {"Warning", "Exception"},
    {"UserWarning", "Warning"},
    {"DeprecationWarning", "Warning"},
    {"FutureWarning", "Warning"},
    {"RuntimeWarning", "Warning"},
    {"ImportWarning", "Warning"},
    {"PendingDeprecationWarning", "Warning"},
    {"ResourceWarning", "Warning"},
    {"SyntaxWarning", "Warning"},
    {"UnicodeWarning", "Warning"},
    {"BytesWarning", "Warning"},
    {"EncodingWarning", "Warning"},
};

std::map<std::string_view, ClassPtr> make_classes() {
    const TrackingScope outside(nullptr);  // the classes outlive every program
    std::map<std::string_view, ClassPtr> classes;
    classes.emplace("BaseException", builtin_classes().base_exception);
    for (const ExceptionName& entry : kExceptions) {
        const bool is_of_torch = entry.name == "OutOfMemoryError" || entry.name == "AcceleratorError";
        auto cls = make_ptr<ClassObject>(std::string(entry.name), is_of_torch ? "torch" : "builtins",
                                         std::vector<ClassPtr>{classes.at(entry.base)});
        cls->set_builtin(nullptr);
        classes.emplace(entry.name, std::move(cls));
    }
    classes.emplace("IOError", classes.at("OSError"));
    classes.emplace("EnvironmentError", classes.at("OSError"));
    return classes;
}

}  // namespace

ClassPtr exception_class(std::string_view name) {
    static const auto* const classes = new std::map<std::string_view, ClassPtr>(make_classes());
    const auto found = classes->find(name);
    return found != classes->end() ? found->second : nullptr;
}

std::vector<std::pair<std::string, ClassPtr>> exception_classes() {
    std::vector<std::pair<std::string, ClassPtr>> out;
    for (const ExceptionName& entry : kExceptions) out.emplace_back(entry.name, exception_class(entry.name));
    for (const char* name : {"BaseException", "IOError", "EnvironmentError"})
        out.emplace_back(name, exception_class(name));
    return out;
}

}  // namespace loupe::python
