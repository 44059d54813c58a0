// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/error.h"

#include "core/base/strings.h"
#include "core/python/language/bare_line.h"
#include "core/python/language/operations.h"

namespace loupe::python {
namespace {

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

PythonError::PythonError(Ptr<ExceptionObject> exception, std::string message, ErrorContext context)
    : Error(ErrorKind::Run, std::move(message), std::move(context)), exception_(std::move(exception)) {}

bool PythonError::is(std::string_view class_name) const {
    const ClassPtr cls = exception_class(class_name);
    return cls && exception_->cls()->is_subclass_of(*cls);
}

bool PythonError::ends_well() const {
    if (!is("SystemExit")) return false;
    const std::vector<IValue>& status = exception_->args;
    if (status.empty()) return true;
    const bool is_zero =
        (status[0].is_int() && status[0].to_int() == 0) || (status[0].is_bool() && !status[0].to_bool());
    return status.size() == 1 && (status[0].is_none() || is_zero);
}

std::string PythonError::traceback() const {
    std::string out;
    append_trace(out, *exception_, 0);
    return out;
}

namespace {

// What to do about what a source meets here and not where it comes from; empty where the error says all there is.
std::string_view way_out(const PythonError& error, std::string_view line, std::string_view statement,
                         bool has_message) {
    const auto says = [line](std::string_view part) { return line.find(part) != std::string_view::npos; };
    if (error.is("FileNotFoundError")) return "put it beside the source, or permit its folder with --allow-read";
    if (error.is("KeyError") && statement.find("environ") != std::string_view::npos)
        return "a source sees HOME, USER and LANG of the environment; give the value in the source";
    // argparse ends with 2; a program that ends with another status says so itself.
    constexpr std::string_view kExit = "SystemExit: ";
    const auto at = line.find(kExit);
    const char status = at == std::string_view::npos ? '2' : concat(line, " ")[at + kExit.size()];
    const bool is_status = status >= '0' && status <= '9' && status != '2';
    if (error.is("SystemExit") && has_message && !is_status && !says("command line"))
        return "a source has no command line; make the model before it ends";
    if (error.is("ModuleNotFoundError") && !says(" is not available here"))
        return "if it is written in Python, put it beside the source";
    return {};
}

}  // namespace

PythonError PythonError::finished() const {
    std::string line = line_of(*exception_);
    ErrorContext context = context_of(*exception_);
    const std::string_view statement =
        exception_->trace.empty() ? std::string_view() : bare_line(exception_->trace.front().range);
    // What is raised without a message is its statement's text; CPython's traceback shows it.
    const bool has_message = line.find(": ") != std::string::npos;
    if (!has_message && !statement.empty()) line += concat(": ", statement);
    if (context.hint.empty()) context.hint = way_out(*this, line, statement, has_message);
    return PythonError(exception_, std::move(line), std::move(context));
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
