// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/frame.h"
#include "core/python/language/code_object.h"

#include <algorithm>
#include <exception>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/call_observer.h"

namespace loupe::python {
namespace {

class UnboundMark final : public RefCounted {};

}  // namespace

namespace detail {
RefCounted* const unbound_object = [] {
    auto* object = new UnboundMark();
    intrusive_ptr_add_ref(object);
    return object;
}();
}  // namespace detail

const IValue& unbound() {
    static const IValue value = IValue::other(Ptr<RefCounted>(detail::unbound_object));
    return value;
}

std::uint32_t ModuleNamespace::slot_of(std::string_view name) {
    const auto [at, is_new] = slots_.try_emplace(std::string(name), static_cast<std::uint32_t>(values_.size()));
    if (is_new) {
        names_.emplace_back(name);
        values_.push_back(unbound());
        const auto builtin = builtins_ != nullptr ? builtins_->find(name) : std::nullopt;
        builtin_values_.push_back(builtin ? *builtin : unbound());
    }
    return at->second;
}

std::optional<IValue> ModuleNamespace::find(std::string_view name) const {
    const auto found = slots_.find(std::string(name));
    if (found == slots_.end() || is_unbound(values_[found->second])) return std::nullopt;
    return values_[found->second];
}

void ModuleNamespace::set(std::string_view name, IValue value) { values_[slot_of(name)] = std::move(value); }

bool ModuleNamespace::erase(std::string_view name) {
    const auto found = slots_.find(std::string(name));
    if (found == slots_.end() || is_unbound(values_[found->second])) return false;
    values_[found->second] = unbound();
    return true;
}

std::vector<std::pair<std::string, IValue>> ModuleNamespace::entries() const {
    std::vector<std::pair<std::string, IValue>> out;
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (!is_unbound(values_[i])) out.emplace_back(names_[i], values_[i]);
    }
    return out;
}

void ModuleNamespace::clear() {
    for (IValue& value : values_) value = unbound();
}

Frame::Frame(Unit& frame_unit, const Code& frame_code) : unit(frame_unit), code(frame_code) {
    locals.resize(code.locals.size(), unbound());
    for (std::size_t i = 0; i < code.own_cells; ++i) cells.push_back(make_ptr<Cell>(unbound()));
}

FrameScope::FrameScope(Frame& frame) : frame_(frame) {
    ThreadState& thread = thread_state();
    constexpr std::int64_t kMost = 100000;  // whatever sys.setrecursionlimit allows
    if (static_cast<std::int64_t>(thread.depth) >= std::min(*thread.recursion_limit, kMost)) throw_recursion_error();
    if (CallObserver* observer = call_observer()) observer->enter(frame);
    ++thread.depth;
    frame.caller = thread.top;
    thread.top = &frame;
}

FrameScope::~FrameScope() {
    ThreadState& thread = thread_state();
    thread.top = frame_.caller;
    --thread.depth;
    if (CallObserver* observer = call_observer()) observer->leave(frame_, std::uncaught_exceptions() > 0);
}

FunctionObject::FunctionObject(Ptr<Unit> function_unit, const Code& function_code)
    : unit(std::move(function_unit)), code(function_code) {}

std::string FunctionObject::describe() const {
    const IValue* name = attributes.find("__name__");
    return name != nullptr && name->is_string() ? name->to_string() : code.name;
}

std::optional<IValue> FunctionObject::find_attribute(std::string_view name) {
    if (const IValue* own = attributes.find(name)) return *own;
    if (name == "__name__") return IValue(code.name);
    if (name == "__qualname__") return IValue(code.qualified_name);
    if (name == "__module__") return IValue(unit->name);
    if (name == "__doc__") return code.has_doc ? IValue(code.doc) : IValue();
    if (name == "__defaults__") {
        std::vector<IValue> given;
        for (std::size_t i = 0; i < code.positional_count; ++i) {
            if (!is_unbound(defaults[i])) given.push_back(defaults[i]);
        }
        return given.empty() ? IValue() : make_tuple(std::move(given));
    }
    if (name == "_parameters") return parameters();
    if (name == "__get__") {
        // As a class binds it: f.__get__(object) is a method of that object alone.
        return IValue::other(make_ptr<NativeCallable>("__get__", [self = Ptr<FunctionObject>(this)](CallArguments a) {
            check_positional(a, "__get__", 1, 2);
            const IValue function = IValue::other(self);
            if (a.positional[0].is_none()) return function;
            return IValue::other(make_ptr<BoundMethod>(a.positional[0], function));
        }));
    }
    if (name == "__call__") return IValue::other(Ptr<RefCounted>(this));
    if (name == "__closure__") return closure_of(*this);
    if (name == "__code__") return code_object(unit, code);
    if (name == "__globals__") return globals_of(*unit);
    if (name == "__kwdefaults__") {
        auto dict = make_dict();
        for (std::size_t i = code.positional_count; i < defaults.size(); ++i) {
            if (!is_unbound(defaults[i])) dict->set(IValue(std::string(code.params[i].name)), defaults[i]);
        }
        return dict->size() == 0 ? IValue() : IValue(dict);
    }
    if (name == "__annotations__") {
        set_attribute(name, make_dict());
        return *attributes.find(name);
    }
    if (name == "__dict__") {
        auto dict = make_dict();
        for (const auto& [key, value] : attributes.entries()) dict->set(IValue(key), value);
        return IValue(dict);
    }
    return PythonObject::find_attribute(name);
}

// [(name, kind, has a default, default)], kinds as in inspect.Parameter.
IValue FunctionObject::parameters() const {
    enum Kind : std::int64_t { PositionalOnly, Either, Rest, KeywordOnly, KeywordRest };
    std::vector<IValue> all;
    for (std::size_t i = 0; i < code.params.size(); ++i) {
        const Kind kind = i == code.rest              ? Rest
                          : i == code.keyword_rest    ? KeywordRest
                          : i < code.positional_only  ? PositionalOnly
                          : i < code.positional_count ? Either
                                                      : KeywordOnly;
        const bool has_default = i < defaults.size() && !is_unbound(defaults[i]);
        all.push_back(make_tuple({IValue(std::string(code.params[i].name)), IValue(std::int64_t{kind}),
                                  IValue(has_default), has_default ? defaults[i] : IValue()}));
    }
    return make_list(std::move(all));
}

void FunctionObject::set_attribute(std::string_view name, IValue value) { attributes.set(name, std::move(value)); }

void FunctionObject::delete_attribute(std::string_view name) {
    if (!attributes.erase(name)) throw_attribute_error(IValue::other(Ptr<RefCounted>(this)), name);
}

std::string FunctionObject::repr() {
    return concat("<function ", code.qualified_name, " at ", address_text(this), ">");
}

IValue FunctionObject::call(CallArguments arguments) { return call_function(*this, arguments); }

void FunctionObject::clear_references() {
    captured.clear();
    defaults.clear();
    attributes.clear();
}

std::optional<IValue> find_local(const Frame& frame, std::string_view name) {
    for (auto& [local, value] : locals_of(frame)) {
        if (local == name) return value;
    }
    return std::nullopt;
}

std::vector<std::pair<std::string, IValue>> locals_of(const Frame& frame) {
    if (frame.code.kind == ScopeKind::Module) return frame.unit.globals->entries();
    std::vector<std::pair<std::string, IValue>> out;
    for (std::size_t i = 0; i < frame.locals.size(); ++i) {
        if (!is_unbound(frame.locals[i])) out.emplace_back(frame.code.locals[i], frame.locals[i]);
    }
    for (std::size_t i = 0; i < frame.cells.size(); ++i) {
        if (!is_unbound(frame.cells[i]->value)) out.emplace_back(frame.code.cells[i], frame.cells[i]->value);
    }
    if (frame.class_names != nullptr) {
        for (const auto& entry : frame.class_names->entries()) out.push_back(entry);
    }
    return out;
}

ir::SourceRange current_range() {
    const Frame* frame = thread_state().top;
    while (frame != nullptr && frame->unit.is_library) frame = frame->caller;
    return frame != nullptr ? frame->place() : ir::SourceRange{};
}

}  // namespace loupe::python
