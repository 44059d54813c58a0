// SPDX-License-Identifier: Apache-2.0
// Exceptions as they are raised: from C++, from an engine's error, by `raise`.
#include "core/python/language/raise.h"

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/exception_names.h"
#include "core/python/language/frame.h"
#include "core/python/language/missing_name.h"

namespace loupe::python {

PythonError::PythonError(Ptr<ExceptionObject> exception)
    : Error(ErrorKind::Run, exception->cls()->name()), exception_(std::move(exception)) {
    if (!exception_->context.is_none()) return;
    for (const Frame* frame = thread_state().top; frame != nullptr; frame = frame->caller) {
        if (!frame->handled) continue;
        if (frame->handled != exception_) exception_->context = IValue::other(frame->handled);
        return;
    }
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
    auto exception =
        make_ptr<ExceptionObject>(exception_class(exception_name(error)), std::vector<IValue>{IValue(error.message())});
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
    if (object_as<MissingName>(type) != nullptr) return false;
    const auto* cls = object_as<ClassObject>(type);
    if (cls == nullptr || !cls->is_subclass_of(*builtin_classes().base_exception)) {
        throw_type_error("catching classes that do not inherit from BaseException is not allowed");
    }
    return class_of(exception)->is_subclass_of(*cls);
}

}  // namespace loupe::python
