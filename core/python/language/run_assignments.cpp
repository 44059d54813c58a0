// SPDX-License-Identifier: Apache-2.0
// Assignments and their targets, def, import.
#include <filesystem>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/missing_name.h"
#include "core/python/language/relative_import.h"
#include "core/python/language/runner.h"

namespace loupe::python {

using namespace script;

void Runner::bind_name(NameIndex index, std::string_view name, IValue value) {
    const NamePlace place = frame_.unit.scopes.names[index];
    switch (place.kind) {
        case NameKind::Local:
            frame_.locals[place.slot] = std::move(value);
            return;
        case NameKind::Cell:
            frame_.cells[place.slot]->value = std::move(value);
            return;
        case NameKind::Global:
            frame_.unit.globals->at(place.slot) = std::move(value);
            return;
        case NameKind::ClassGlobal:
        case NameKind::ClassCell:
            if (is_unbound(value)) {
                frame_.class_names->erase(name);
            } else {
                frame_.class_names->set(name, std::move(value));
            }
            return;
    }
}

IValue Runner::bound_value(NameIndex index, std::string_view name) const {
    const NamePlace place = frame_.unit.scopes.names[index];
    switch (place.kind) {
        case NameKind::Local:
            return frame_.locals[place.slot];
        case NameKind::Cell:
            return frame_.cells[place.slot]->value;
        case NameKind::Global:
            return frame_.unit.globals->at(place.slot);
        case NameKind::ClassGlobal:
        case NameKind::ClassCell:
            break;
    }
    const IValue* found = frame_.class_names->find(name);
    return found != nullptr ? *found : unbound();
}

void Runner::assign(const Expr* target, IValue value) {
    switch (target->kind) {
        case ExprKind::Name:
            return bind_name(as<Name>(target)->index, as<Name>(target)->id, std::move(value));
        case ExprKind::Attribute: {
            const auto& attribute = *as<Attribute>(target);
            const IValue object = evaluate(attribute.object);
            frame_.where = target->range;
            return set_attribute(object, attribute.name, std::move(value));
        }
        case ExprKind::Subscript: {
            const auto& subscript = *as<Subscript>(target);
            const IValue object = evaluate(subscript.value);
            const IValue key = evaluate_key(subscript);
            frame_.where = target->range;
            return set_item(object, key, std::move(value));
        }
        case ExprKind::Tuple:
            return assign_sequence(as<Tuple>(target)->elements, value);
        case ExprKind::List:
            return assign_sequence(as<List>(target)->elements, value);
        default:
            throw_error("SyntaxError", "starred assignment target must be in a list or tuple");
    }
}

void Runner::assign_sequence(std::span<const Expr* const> targets, const IValue& value) {
    if (!value.is_tuple() && !value.is_list() && !is_iterable(value)) {
        throw_type_error(concat("cannot unpack non-iterable ", type_name(value), " object"));
    }
    std::size_t starred = targets.size();
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i]->kind != ExprKind::Starred) continue;
        if (starred != targets.size()) throw_error("SyntaxError", "multiple starred expressions in assignment");
        starred = i;
    }
    const bool has_star = starred != targets.size();
    std::vector<IValue> values;
    for_each(value, [&](const IValue& item) {
        values.push_back(item);
        return has_star || values.size() <= targets.size();
    });
    const std::size_t least = targets.size() - (has_star ? 1 : 0);
    if (values.size() < least) {
        throw_value_error(concat("not enough values to unpack (expected ", has_star ? "at least " : "", least, ", got ",
                                 values.size(), ")"));
    }
    if (!has_star && values.size() > least) {
        throw_value_error(concat("too many values to unpack (expected ", least, ")"));
    }
    const std::size_t rest = values.size() - least;
    std::size_t at = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (i != starred) {
            assign(targets[i], std::move(values[at++]));
            continue;
        }
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
        assign(as<Starred>(targets[i])->value, make_list({begin, begin + static_cast<std::ptrdiff_t>(rest)}));
        at += rest;
    }
}

void Runner::run_assign(const Assign& s) {
    if (s.annotation != nullptr && frame_.class_names != nullptr) run_annotation(s);
    if (s.value == nullptr) return;
    IValue value = evaluate(s.value);
    for (std::size_t i = 0; i + 1 < s.targets.size(); ++i) assign(s.targets[i], value);
    assign(s.targets.back(), std::move(value));
}

// x: T of a class body goes to __annotations__.
void Runner::run_annotation(const Assign& s) {
    const auto* name = as<Name>(s.targets.front());
    if (name == nullptr) return;
    const Range range = s.annotation->range;
    const auto written = std::string_view(frame_.unit.source->text()).substr(range.begin, range.end - range.begin);
    IValue type = frame_.unit.scopes.postpones_annotations ? IValue(written) : evaluate(s.annotation);
    const IValue* known = frame_.class_names->find("__annotations__");
    if (known == nullptr) {
        frame_.class_names->set("__annotations__", python::make_dict());
        known = frame_.class_names->find("__annotations__");
    }
    set_key(known->to_dict(), IValue(name->id), std::move(type));
}

void Runner::run_augmented(const AugAssign& s) {
    const auto combine = [&](const IValue& old) {
        const IValue value = evaluate(s.value);
        IValue result;
        if (fast_binary(s.op, old, value, result)) return result;
        frame_.where = s.range;
        return in_place(s.op, old, value);
    };
    if (const auto* name = as<Name>(s.target)) {
        const IValue old = read_name(*name);
        return bind_name(name->index, name->id, combine(old));
    }
    if (const auto* attribute = as<Attribute>(s.target)) {
        const IValue object = evaluate(attribute->object);
        frame_.where = s.range;
        const IValue old = get_attribute(object, attribute->name);
        return set_attribute(object, attribute->name, combine(old));
    }
    if (const auto* subscript = as<Subscript>(s.target)) {
        const IValue object = evaluate(subscript->value);
        const IValue key = evaluate_key(*subscript);
        frame_.where = s.range;
        const IValue old = get_item(object, key);
        return set_item(object, key, combine(old));
    }
    throw_error("SyntaxError", "illegal expression for augmented assignment");
}

void Runner::delete_name(const Name& name) {
    read_name(name);  // NameError when there is none
    const NamePlace place = frame_.unit.scopes.names[name.index];
    if (place.kind == NameKind::Global && is_unbound(frame_.unit.globals->at(place.slot))) fail_unbound(place, name.id);
    bind_name(name.index, name.id, unbound());
}

void Runner::delete_target(const Expr* target) {
    frame_.where = target->range;
    switch (target->kind) {
        case ExprKind::Name:
            return delete_name(*as<Name>(target));
        case ExprKind::Attribute: {
            const IValue object = evaluate(as<Attribute>(target)->object);
            return delete_attribute(object, as<Attribute>(target)->name);
        }
        case ExprKind::Subscript: {
            const IValue object = evaluate(as<Subscript>(target)->value);
            return delete_item(object, evaluate_key(*as<Subscript>(target)));
        }
        case ExprKind::Tuple:
            for (const Expr* element : as<Tuple>(target)->elements) delete_target(element);
            return;
        case ExprKind::List:
            for (const Expr* element : as<List>(target)->elements) delete_target(element);
            return;
        default:
            throw_error("SyntaxError", "cannot delete this expression");
    }
}

Ptr<FunctionObject> Runner::make_function(const void* node, std::span<const Param> params) {
    const Code& code = frame_.unit.code_of(node);
    auto function = make_ptr<FunctionObject>(Ptr<Unit>(&frame_.unit), code);
    for (const std::uint32_t cell : code.captured) function->captured.push_back(frame_.cells[cell]);
    function->defaults.reserve(params.size());
    for (const Param& param : params) {
        function->defaults.push_back(param.default_value != nullptr ? evaluate(param.default_value) : unbound());
    }
    return function;
}

void Runner::run_def(const Def& s) {
    std::vector<IValue> decorators;
    for (const Expr* decorator : s.decorators) decorators.push_back(evaluate_decorator(decorator));
    IValue function = IValue::other(make_function(&s, s.params));
    for (std::size_t i = decorators.size(); i-- > 0;) {
        frame_.where = s.decorators[i]->range;
        function = decorate(decorators[i], s.name, std::move(function));
    }
    bind_name(s.index, s.name, std::move(function));
}

namespace {

// a.b.c: evaluating it twice does nothing twice.
bool is_dotted_name(const Expr* e) {
    while (const auto* attribute = as<Attribute>(e)) e = attribute->object;
    return as<Name>(e) != nullptr;
}

// Does a frame under way catch an import that fails?
bool is_import_guarded(const Frame& frame) {
    for (const Frame* at = &frame; at != nullptr; at = at->caller) {
        if (at->import_guards > 0) return true;
    }
    return false;
}

}  // namespace

// A decorator that is not here is not called: what it decorates is what is missing then.
IValue Runner::evaluate_decorator(const Expr* decorator) {
    const auto* call = as<Call>(decorator);
    if (call == nullptr || !is_dotted_name(call->callee)) return evaluate(decorator);
    IValue callee = evaluate(call->callee);
    return object_as<MissingName>(callee) != nullptr ? callee : evaluate(decorator);
}

IValue Runner::decorate(const IValue& decorator, std::string_view name, IValue decorated) {
    if (const auto* missing = object_as<MissingName>(decorator))
        return IValue::other(missing->derived(std::string(name), "decorated by"));
    return call(decorator, std::vector<IValue>{std::move(decorated)});
}

IValue Runner::missing_import(std::string reason, std::string path, std::string_view hint, bool is_name) {
    MissingImport import{std::move(reason), {}, std::string(hint), is_name};
    const ir::SourceRange place = frame_.place();
    if (const auto position = place.position(); position && place.source && place.source->file())
        import.place = concat(std::filesystem::path(*place.source->file()).filename().string(), ":", position->line);
    return IValue::other(
        make_ptr<MissingName>(std::make_shared<const MissingImport>(std::move(import)), std::move(path)));
}

// A package that is installed beside the program's own may need what is not here: then it is not here either.
template <typename Find>
std::optional<IValue> Runner::found_or_failed(std::string_view name, std::string& failed, const Find& find) {
    Evaluator::State& state = frame_.unit.owner->state();
    try {
        return find();
    } catch (const PythonError& error) {
        if (!state.is_installed(name)) throw;
        failed = concat("No module named '", name, "': importing it failed with ", error.message());
        return std::nullopt;
    }
}

IValue Runner::import_or_missing(std::string_view name) {
    Evaluator& evaluator = *frame_.unit.owner;
    const EvaluatorScope scope(&evaluator);
    std::string failed;
    if (auto module = found_or_failed(name, failed, [&] { return evaluator.state().find_module(evaluator, name); }))
        return std::move(*module);
    const bool must_raise = frame_.unit.is_library || is_import_guarded(frame_);
    if (must_raise && failed.empty()) throw_no_module(evaluator.state(), name);
    if (must_raise) throw_error("ModuleNotFoundError", failed);
    return missing_import(failed.empty() ? concat("No module named '", name, "'") : failed, std::string(name),
                          evaluator.state().library.replacement_for(name.substr(0, name.find('.'))), false);
}

void Runner::run_import(const Import& s) {
    for (const ImportName& name : s.names) {
        frame_.where = name.range;
        IValue module = import_or_missing(name.name);
        if (!name.has_alias && name.name != name.bound) {
            // `import a.b` binds a.
            module = import_or_missing(name.bound);
        }
        bind_name(name.index, name.bound, std::move(module));
    }
}

IValue Runner::import_name_or_missing(const IValue& module, const std::string& module_name, std::string_view name) {
    if (object_as<MissingName>(module) != nullptr) return get_attribute(module, name);
    Evaluator::State& state = frame_.unit.owner->state();
    const auto find = [&]() -> std::optional<IValue> {
        try {
            return state.find_name(module, module_name, name);
        } catch (const PythonError& error) {
            if (!error.is("AttributeError")) throw;  // a module's own __getattr__ says that it has none
            return std::nullopt;
        }
    };
    std::string failed;
    if (auto value = found_or_failed(module_name, failed, find)) return std::move(*value);
    const bool must_raise = frame_.unit.is_library || is_import_guarded(frame_);
    if (must_raise && failed.empty()) throw_no_name(module_name, name);
    if (must_raise) throw_error("ImportError", failed);
    return missing_import(failed.empty() ? concat("cannot import name '", name, "' from '", module_name, "'") : failed,
                          concat(module_name, ".", name), {}, true);
}

void Runner::run_import_from(const ImportFrom& s) {
    if (s.module == "__future__") {
        for (const ImportName& name : s.names) bind_name(name.index, name.bound, IValue());
        return;
    }
    const std::string module_name = absolute_module_name(frame_.unit.package, s);
    // `from . import layers` beside the main file names modules.
    const IValue module = module_name.empty() ? IValue() : import_or_missing(module_name);
    for (const ImportName& name : s.names) {
        frame_.where = name.range;
        if (name.name == "*") {
            if (object_as<MissingName>(module) != nullptr) continue;
            for (auto& [exported, value] : exported_names(module)) frame_.unit.globals->set(exported, std::move(value));
            continue;
        }
        bind_name(name.index, name.bound,
                  module_name.empty() ? import_or_missing(name.name)
                                      : import_name_or_missing(module, module_name, name.name));
    }
}

}  // namespace loupe::python
