// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/frame.h"

#include <pthread.h>

#include "core/base/deep_thread.h"
#include "core/base/strings.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/script/literals.h"
#include "core/script/parser.h"

namespace loupe::python {
namespace {

constexpr std::uintptr_t kReserve = 256 * 1024;  // of the thread's stack

class UnboundMark final : public RefCounted {};

std::uintptr_t find_stack_end() {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return reinterpret_cast<std::uintptr_t>(low) + kReserve;
}

[[noreturn]] void fail_recursion() { throw_error("RecursionError", "maximum recursion depth exceeded"); }

IValue constant_of(const script::Expr* e) {
    if (const auto* number = script::as<script::Number>(e)) {
        if (auto value = script::parse_number(number->text)) return *value;
        const auto whole = script::parse_whole_number(number->text);
        return integer_from_digits(whole->digits, whole->base, whole->is_negative);
    }
    return IValue(script::as<script::String>(e)->value);
}

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

Unit::Unit(Evaluator* unit_owner, std::shared_ptr<const ir::Source> unit_source, std::string module_name,
           Ptr<ModuleNamespace> names)
    : owner(unit_owner), source(std::move(unit_source)), name(std::move(module_name)), globals(std::move(names)) {
    std::shared_ptr<const script::SyntaxTree> parsed;
    with_deep_stack([&] {
        parsed = script::parse_source(source, script::Dialect::Python);
        scopes = analyse_scopes(source, *parsed, *globals);
    });
    constants.reserve(parsed->constants.size());
    for (const script::Expr* e : parsed->constants) constants.push_back(constant_of(e));
    tree = std::move(parsed);
}

Frame::Frame(Unit& frame_unit, const Code& frame_code) : unit(frame_unit), code(frame_code) {
    locals.resize(code.locals.size(), unbound());
    for (std::size_t i = 0; i < code.own_cells; ++i) cells.push_back(make_ptr<Cell>(unbound()));
}

ThreadState& thread_state() {
    static thread_local ThreadState state;
    return state;
}

void check_stack() {
    ThreadState& thread = thread_state();
    if (thread.stack_end == 0) thread.stack_end = find_stack_end();
    if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < thread.stack_end) fail_recursion();
}

void with_deep_stack(const std::function<void()>& body) {
    constexpr std::uintptr_t kNeeded = std::uintptr_t{4} << 20;
    const ThreadState& thread = thread_state();
    const std::uintptr_t stack_end = thread.stack_end != 0 ? thread.stack_end : find_stack_end();
    if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > stack_end + kNeeded) return body();
    run_deep(body);
}

FrameScope::FrameScope(Frame& frame) : frame_(frame) {
    ThreadState& thread = thread_state();
    const std::int64_t limit = thread.evaluator != nullptr ? thread.evaluator->state().recursion_limit : kRecursionLimit;
    if (static_cast<std::int64_t>(thread.depth) >= limit) fail_recursion();
    ++thread.depth;
    frame.caller = thread.top;
    thread.top = &frame;
}

FrameScope::~FrameScope() {
    ThreadState& thread = thread_state();
    thread.top = frame_.caller;
    --thread.depth;
}

EvaluatorScope::EvaluatorScope(Evaluator* evaluator) : before_(thread_state().evaluator) {
    thread_state().evaluator = evaluator;
}
EvaluatorScope::~EvaluatorScope() { thread_state().evaluator = before_; }

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
