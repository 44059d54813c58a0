// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's exceptions in C++. A PythonError is a loupe::Error (Run), so that who knows nothing of Python still gets the
// message and the place.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/ir/source.h"
#include "core/python/language/class.h"
#include "core/python/language/raise.h"

namespace loupe::python {

// Where an exception passed through: innermost first.
struct TraceEntry {
    ir::SourceRange range;
    std::string function;  // "<module>", "forward"
};

// An instance of BaseException or of a class derived from it.
class ExceptionObject final : public Instance {
  public:
    ExceptionObject(ClassPtr cls, std::vector<IValue> arguments)
        : Instance(std::move(cls)), args(std::move(arguments)) {}
    std::vector<IValue> args;
    std::vector<TraceEntry> trace;
    IValue cause;
    IValue context;
    bool suppresses_context = false;
    ErrorContext native;  // operator, inputs: of an engine's error that became this exception

    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_plain(std::string_view name, IValue value) override;
    std::string repr() override;
    // str() of it: the one argument, or the tuple of them.
    std::string message() const;
    bool is_of_system() const;  // an OSError with errno and strerror
    void clear_references() override;
};

class PythonError final : public Error {
  public:
    explicit PythonError(Ptr<ExceptionObject> exception);

    const Ptr<ExceptionObject>& exception() const { return exception_; }
    bool is(std::string_view class_name) const;  // of that built-in class or one derived from it
    // sys.exit() without a status other than 0: the end of a program that has done what it should.
    bool ends_well() const;
    // "Traceback (most recent call last):\n  File "m.py", line 3, in f\n    return 1 / 0\nZeroDivisionError: ...".
    std::string traceback() const;
    // The same error, with file, line and message filled in for who shows it.
    PythonError finished() const;

  private:
    PythonError(Ptr<ExceptionObject> exception, std::string message, ErrorContext context);
    Ptr<ExceptionObject> exception_;
};

// Null when there is no built-in exception of that name.
ClassPtr exception_class(std::string_view name);
std::vector<std::pair<std::string, ClassPtr>> exception_classes();
// An engine's Error as the exception that a program can catch: RuntimeError; a PythonError as it is. Cancelled and
// Internal errors are none: they are thrown on.
Ptr<ExceptionObject> exception_of(const Error& error);
// What `raise value` throws: an instance, or a class that is called without arguments.
[[noreturn]] void raise_value(const IValue& value);

}  // namespace loupe::python
