// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/error.h"

#include <map>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/exception_names.h"
#include "core/python/language/frame.h"

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
    {"ReferenceError", "Exception"},
    {"RuntimeError", "Exception"},
    {"NotImplementedError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"StopIteration", "Exception"},
    {"StopAsyncIteration", "Exception"},
    {"SyntaxError", "Exception"},
    {"SystemError", "Exception"},
    {"TypeError", "Exception"},
    {"ValueError", "Exception"},
    {"UnicodeError", "ValueError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"Warning", "Exception"},
    {"UserWarning", "Warning"},
    {"DeprecationWarning", "Warning"},
    {"FutureWarning", "Warning"},
    {"RuntimeWarning", "Warning"},
    {"ImportWarning", "Warning"},
    {"PendingDeprecationWarning", "Warning"},
    {"ResourceWarning", "Warning"},
    {"SyntaxWarning", "Warning"},
};

std::map<std::string_view, ClassPtr> make_classes() {
    const EvaluatorScope outside(nullptr);  // the classes outlive every program
    std::map<std::string_view, ClassPtr> classes;
    classes.emplace("BaseException", builtin_classes().base_exception);
    for (const ExceptionName& entry : kExceptions) {
        auto cls =
            make_ptr<ClassObject>(std::string(entry.name), "builtins", std::vector<ClassPtr>{classes.at(entry.base)});
        cls->set_builtin(nullptr);
        classes.emplace(entry.name, std::move(cls));
    }
    classes.emplace("IOError", classes.at("OSError"));
    classes.emplace("EnvironmentError", classes.at("OSError"));
    return classes;
}

// "ValueError: bad", "KeyError: 'x'"; the name alone when there is no text.
std::string line_of(const ExceptionObject& exception) {
    const std::string& module = exception.cls()->module();
    std::string out = module == "builtins" || module == "__main__"
                          ? exception.cls()->qualified_name()
                          : concat(module, ".", exception.cls()->qualified_name());
    std::string message;
    try {
        message = str(IValue::other(Ptr<RefCounted>(const_cast<ExceptionObject*>(&exception))));
    } catch (const Error&) {
        message = "<exception str() failed>";
    }
    return message.empty() ? out : concat(out, ": ", message);
}

void append_trace(std::string& out, const ExceptionObject& exception, int depth) {
    if (depth < 8) {
        if (auto* cause = object_as<ExceptionObject>(exception.cause)) {
            append_trace(out, *cause, depth + 1);
            out += "\n\nThe above exception was the direct cause of the following exception:\n\n";
        } else if (auto* context = object_as<ExceptionObject>(exception.context);
                   context != nullptr && !exception.suppresses_context) {
            append_trace(out, *context, depth + 1);
            out += "\n\nDuring handling of the above exception, another exception occurred:\n\n";
        }
    }
    if (!exception.trace.empty()) out += "Traceback (most recent call last):\n";
    constexpr std::size_t kShown = 20;  // at each end
    const std::size_t count = exception.trace.size();
    for (std::size_t i = count; i-- > 0;) {
        if (count > 2 * kShown && i == count - kShown - 1) {
            out += concat("  ... ", count - 2 * kShown, " more calls ...\n");
            i = kShown;
            continue;
        }
        const TraceEntry& entry = exception.trace[i];
        const auto position = entry.range.position();
        const std::size_t line = position ? position->line : entry.range.source->line_of(entry.range.start) + 1;
        out += concat("  File \"", position ? position->file : std::string("<string>"), "\", line ", line, ", in ",
                      entry.function, "\n");
        std::string_view text = entry.range.line_text();
        const std::size_t start = text.find_first_not_of(" \t");
        if (start != std::string_view::npos) out += concat("    ", text.substr(start), "\n");
    }
    out += line_of(exception);
}

ErrorContext context_of(const ExceptionObject& exception) {
    ErrorContext context = exception.native;
    if (exception.trace.empty()) return context;
    const ir::SourceRange& innermost = exception.trace.front().range;
    if (const auto position = innermost.position()) {
        context.file = position->file;
        context.source = innermost.short_text();
    } else if (innermost.source) {
        context.source = concat("line ", innermost.source->line_of(innermost.start) + 1);
    }
    return context;
}

}  // namespace

PythonError::PythonError(Ptr<ExceptionObject> exception)
    : Error(ErrorKind::Run, exception->cls()->name()), exception_(std::move(exception)) {
    if (!exception_->context.is_none()) return;
    for (const Frame* frame = thread_state().top; frame != nullptr; frame = frame->caller) {
        if (!frame->handled) continue;
        if (frame->handled != exception_) exception_->context = IValue::other(frame->handled);
        return;
    }
}

PythonError::PythonError(Ptr<ExceptionObject> exception, std::string message, ErrorContext context)
    : Error(ErrorKind::Run, std::move(message), std::move(context)), exception_(std::move(exception)) {}

bool PythonError::is(std::string_view class_name) const {
    const ClassPtr cls = exception_class(class_name);
    return cls && exception_->cls()->is_subclass_of(*cls);
}

std::string PythonError::traceback() const {
    std::string out;
    append_trace(out, *exception_, 0);
    return out;
}

PythonError PythonError::finished() const {
    return PythonError(exception_, line_of(*exception_), context_of(*exception_));
}

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

void throw_error(std::string_view class_name, std::string message) {
    ClassPtr cls = exception_class(class_name);
    if (!cls) cls = exception_class("RuntimeError");
    throw PythonError(make_ptr<ExceptionObject>(std::move(cls), std::vector<IValue>{IValue(std::move(message))}));
}

void throw_key_error(const IValue& key) {
    throw PythonError(make_ptr<ExceptionObject>(exception_class("KeyError"), std::vector<IValue>{key}));
}

void throw_attribute_error(const IValue& object, std::string_view name) {
    if (auto* module = object_as<PythonModule>(object)) {
        throw_error("AttributeError", concat("module '", module->name(), "' has no attribute '", name, "'"));
    }
    if (auto* cls = object_as<ClassObject>(object)) {
        throw_error("AttributeError", concat("type object '", cls->name(), "' has no attribute '", name, "'"));
    }
    throw_error("AttributeError", concat("'", type_name(object), "' object has no attribute '", name, "'"));
}

Ptr<ExceptionObject> exception_of(const Error& error) {
    if (const auto* raised = dynamic_cast<const PythonError*>(&error)) return raised->exception();
    auto exception = make_ptr<ExceptionObject>(exception_class(exception_name(error)),
                                               std::vector<IValue>{IValue(error.message())});
    exception->native = error.context();
    return exception;
}

Ptr<ExceptionObject> exception_from(const IValue& value) {
    IValue made = value;
    if (auto* cls = object_as<ClassObject>(value)) {
        if (cls->is_subclass_of(*builtin_classes().base_exception)) made = cls->call({});
    }
    if (auto* exception = object_as<ExceptionObject>(made)) return Ptr<ExceptionObject>(exception);
    throw_type_error("exceptions must derive from BaseException");
}

void raise_value(const IValue& value) { throw PythonError(exception_from(value)); }

bool is_exception_match(const IValue& exception, const IValue& type) {
    if (type.is_tuple()) {
        for (const IValue& element : type.to_tuple().elements) {
            if (is_exception_match(exception, element)) return true;
        }
        return false;
    }
    const auto* cls = object_as<ClassObject>(type);
    if (cls == nullptr || !cls->is_subclass_of(*builtin_classes().base_exception)) {
        throw_type_error("catching classes that do not inherit from BaseException is not allowed");
    }
    return class_of(exception)->is_subclass_of(*cls);
}

std::optional<IValue> ExceptionObject::find_attribute(std::string_view name) {
    if (name == "args") return make_tuple(args);
    if (name == "__cause__") return cause;
    if (name == "__context__") return context;
    if (name == "__suppress_context__") return IValue(suppresses_context);
    if (name == "__traceback__") return IValue();
    if (name == "value" && cls()->is_subclass_of(*exception_class("StopIteration"))) {
        return args.empty() ? IValue() : args.front();
    }
    if (is_of_system()) {
        if (name == "errno") return args[0];
        if (name == "strerror") return args[1];
        if (name == "filename") return args.size() > 2 ? args[2] : IValue();
    }
    return Instance::find_attribute(name);
}

bool ExceptionObject::is_of_system() const {
    return args.size() >= 2 && args.size() <= 3 && cls()->is_subclass_of(*exception_class("OSError"));
}

void ExceptionObject::set_plain(std::string_view name, IValue value) {
    if (name == "args") {
        args = to_vector(value);
    } else if (name == "__cause__") {
        cause = std::move(value);
        suppresses_context = true;
    } else if (name == "__context__") {
        context = std::move(value);
    } else if (name == "__suppress_context__") {
        suppresses_context = python::truth(value);
    } else if (name != "__traceback__") {
        Instance::set_plain(name, std::move(value));
    }
}

std::string ExceptionObject::repr() {
    std::vector<std::string> parts;
    const std::size_t shown = is_of_system() ? 2 : args.size();
    for (std::size_t i = 0; i < shown; ++i) parts.push_back(python::repr(args[i]));
    return concat(cls()->name(), "(", join(parts, ", "), ")");
}

std::string ExceptionObject::message() const {
    if (args.empty()) return {};
    const bool is_key = cls()->is_subclass_of(*exception_class("KeyError"));
    if (args.size() == 1) return is_key ? python::repr(args.front()) : python::str(args.front());
    if (is_of_system()) {
        const std::string file = args.size() > 2 ? concat(": ", python::repr(args[2])) : "";
        return concat("[Errno ", python::str(args[0]), "] ", python::str(args[1]), file);
    }
    return python::repr(make_tuple(args));
}

void ExceptionObject::clear_references() {
    Instance::clear_references();
    args.clear();
    cause = IValue();
    context = IValue();
}

}  // namespace loupe::python
