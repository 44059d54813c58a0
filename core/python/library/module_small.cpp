// SPDX-License-Identifier: Apache-2.0
// Small modules: time, sys, os, os.path, copy, _collections, builtins.
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>
#include <unordered_map>

#include "core/autograd/variable.h"
#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/nn/deep_copy.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/frame.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/pickling.h"
#include "core/python/library/standard_modules.h"
#include "core/python/language/stream.h"

namespace loupe::python {
namespace {

double seconds(auto since) { return std::chrono::duration<double>(since).count(); }

std::string path_of(const CallArguments& a, std::string_view function) {
    if (a.positional.empty()) throw_type_error(concat(function, "() missing 1 required positional argument: 'path'"));
    return path_text(a.positional[0]);
}

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

// Copies by the tree of values; memo keeps what is shared shared.
class Copier {
  public:
    Copier() : modules_([this](const IValue& value) { return deep(value); }) {}
    IValue deep(const IValue& value) {
        check_stack();
        if (const auto found = memo_.find(key_of(value)); found != memo_.end()) return found->second;
        if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
            if (auto made = call_special(*cls, "__deepcopy__", value, {IValue(make_dict())})) return remember(value, *made);
        }
        switch (value.tag()) {
            case IValue::Tag::List:
                return deep_list(value);
            case IValue::Tag::Dict:
                return deep_dict(value);
            case IValue::Tag::Tuple: {
                std::vector<IValue> parts;
                for (const IValue& element : value.to_tuple().elements) parts.push_back(deep(element));
                return remember(value, make_ptr<TupleObject>(std::move(parts), value.to_tuple().type));
            }
            case IValue::Tag::Tensor:
                return deep_tensor(value);
            case IValue::Tag::Object:
                return remember(value, copy_module(value));
            case IValue::Tag::Other:
                return deep_object(value);
            default:
                return value;
        }
    }

  private:
    static const void* key_of(const IValue& value) {
        const bool is_counted = value.is_list() || value.is_dict() || value.is_tuple() || value.is_tensor() ||
                                value.is_object() || value.is_other();
        return is_counted ? value.object_pointer() : nullptr;
    }
    // A module and the program's own values may hold the same one.
    IValue deep_tensor(const IValue& value) {
        if (const auto known = modules_.tensors.find(value.tensor_impl()); known != modules_.tensors.end()) return known->second;
        const Tensor from = value.to_tensor();
        if (!is_leaf(from)) throw_error("RuntimeError", "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment");
        Tensor copy = call_method(IValue(detach(from)), "clone", {}).to_tensor();
        if (is_parameter(from)) copy = make_parameter(copy, requires_grad(from));
        else if (requires_grad(from)) loupe::set_requires_grad(copy, true);
        modules_.tensors.emplace(value.tensor_impl(), copy);
        if (const Tensor grad = grad_of(from); grad.defined() && !is_parameter(from)) set_grad(copy, deep(grad).to_tensor());
        return remember(value, copy);
    }
    IValue remember(const IValue& value, IValue copy) {
        kept_.push_back(value);
        memo_.emplace(key_of(value), copy);
        return copy;
    }
    IValue deep_list(const IValue& value) {
        const ListObject& list = value.to_list();
        const IValue out = remember(value, make_ptr<ListObject>(list.element_type));
        if (const ContainerClass* mark = container_class(list)) {
            auto copied = make_ptr<ContainerClass>(mark->cls);
            copied->attributes = mark->attributes;
            out.to_list().element_type = copied;
        }
        for (std::size_t i = 0; i < list.elements.size(); ++i) out.to_list().elements.push_back(deep(list.elements[i]));
        return out;
    }
    IValue deep_dict(const IValue& value) {
        const DictObject& dict = value.to_dict();
        auto made = make_ptr<DictObject>(dict.key_type, dict.value_type);
        if (const ContainerClass* mark = container_class(dict)) {
            auto copied = make_ptr<ContainerClass>(mark->cls);
            copied->attributes = mark->attributes;
            made->value_type = copied;
        }
        const IValue out = remember(value, IValue(made));
        for (const auto& [key, held] : dict.entries()) made->set(deep(key), deep(held));
        return out;
    }
    IValue deep_object(const IValue& value) {
        if (auto* set = object_as<SetObject>(value)) {
            auto out = make_ptr<SetObject>(set->is_frozen);
            for (const IValue& element : set->values()) out->add(deep(element));
            return IValue::other(out);
        }
        if (const auto* method = object_as<BoundMethod>(value)) {
            return remember(value, IValue::other(make_ptr<BoundMethod>(deep(method->self), method->function)));
        }
        auto* instance = object_as<Instance>(value);
        if (instance == nullptr || object_as<ExceptionObject>(value) != nullptr) return value;
        const ClassObject& cls = *instance->cls();
        for (const char* name : {"__reduce_ex__", "__reduce__"}) {
            if (has_method(cls, name)) return deep_reduced(value, name);
        }
        if (auto state = optimizer_state_to_pickle(value)) return deep_state(value, *state);
        if (auto state = scheduler_state_to_pickle(value)) return deep_state(value, *state);
        if (has_method(cls, "__getstate__")) return deep_state(value, call_method(value, "__getstate__", {}));
        if (cls.is_builtin()) return value;
        auto out = make_ptr<Instance>(instance->cls(), instance->payload);
        const IValue result = remember(value, IValue::other(out));
        if (has_method(cls, "__setstate__")) {
            set_object_state(result, deep(get_attribute(value, "__dict__")));
            return result;
        }
        for (const auto& [name, held] : instance->attributes.entries()) out->attributes.set(name, deep(held));
        return result;
    }
    static bool has_method(const ClassObject& cls, std::string_view name) {
        const IValue* found = cls.find(name);
        return found != nullptr && object_as<FunctionObject>(*found) != nullptr;
    }
    // An object of the same class with a copy of the state.
    IValue deep_state(const IValue& value, const IValue& state) {
        ClassObject& cls = *object_as<Instance>(value)->cls();
        kept_.push_back(state);
        CallArguments nothing;
        const IValue out = remember(value, cls.make_instance()(cls, nothing).instance);
        set_object_state(out, deep(state));
        return out;
    }
    // What __reduce__ gives, made again of copies.
    IValue deep_reduced(const IValue& value, const char* name) {
        CallArguments arguments;
        if (std::string_view(name) == "__reduce_ex__") arguments.positional.emplace_back(4);
        const IValue reduced = call_method(value, name, std::move(arguments));
        kept_.push_back(reduced);
        if (!reduced.is_tuple() || reduced.to_tuple().elements.size() < 2) return value;  // a name: the same everywhere
        const auto& parts = reduced.to_tuple().elements;
        const IValue out = remember(value, call(parts[0], to_vector(deep(parts[1]))));
        const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : IValue(); };
        if (!part(2).is_none()) set_object_state(out, deep(part(2)));
        for (const IValue& element : part(3).is_none() ? std::vector<IValue>() : to_vector(part(3))) call_method(out, "append", {{deep(element)}, {}});
        for (const IValue& pair : part(4).is_none() ? std::vector<IValue>() : to_vector(part(4))) {
            const auto both = to_vector(pair);
            set_item(out, deep(both.at(0)), deep(both.at(1)));
        }
        return out;
    }
    std::unordered_map<const void*, IValue> memo_;
    std::vector<IValue> kept_;
    nn::DeepCopyScope modules_;
};

IValue shallow_copy(const IValue& value) {
    if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
        if (auto made = call_special(*cls, "__copy__", value)) return *made;
    }
    if (value.is_list()) return make_ptr<ListObject>(value.to_list().element_type, value.to_list().elements);
    if (value.is_dict()) return call_method(value, "copy", {});
    if (auto* set = object_as<SetObject>(value)) return IValue::other(make_set(value, set->is_frozen));
    auto* instance = object_as<Instance>(value);
    if (instance == nullptr || object_as<ExceptionObject>(value) != nullptr) return value;
    auto out = make_ptr<Instance>(instance->cls(), instance->payload);
    out->attributes = instance->attributes;
    return IValue::other(out);
}

std::vector<std::string> field_names(const IValue& written, bool renames) {
    std::vector<std::string> fields;
    if (written.is_string()) {
        std::string text = written.to_string();
        for (char& c : text) c = c == ',' ? ' ' : c;
        const IValue parts = call_method(IValue(text), "split", {});
        for (const IValue& part : parts.to_list().elements) fields.push_back(str(part));
    } else {
        for (const IValue& part : to_vector(written)) fields.push_back(str(part));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool is_bad = fields[i].empty() || fields[i].starts_with('_') ||
                            (fields[i][0] >= '0' && fields[i][0] <= '9') ||
                            std::find(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(i), fields[i]) !=
                                fields.begin() + static_cast<std::ptrdiff_t>(i);
        if (!is_bad) continue;
        if (renames) {
            fields[i] = concat("_", i);
        } else if (fields[i].starts_with('_')) {
            throw_value_error(concat("Field names cannot start with an underscore: ", repr(IValue(fields[i]))));
        } else {
            throw_value_error(
                concat("Type names and field names must be valid identifiers and unique: ", repr(IValue(fields[i]))));
        }
    }
    return fields;
}

IValue named_tuple(CallArguments a) {
    const BoundArguments given(a, "namedtuple", {"typename", "field_names", "*", "rename=", "defaults=", "module="});
    std::vector<IValue> defaults;
    if (!given.value_or(3, {}).is_none()) defaults = to_vector(given[3]);
    auto fields = field_names(given[1], given.truth_or(2, false));
    if (defaults.size() > fields.size()) throw_type_error("Got more default values than field names");
    return IValue::other(make_named_tuple_class(
        str(given[0]), thread_state().top != nullptr ? thread_state().top->unit.name : "__main__", fields,
        std::move(defaults)));
}

}  // namespace

void fill_time(PythonModule& module) {
    const auto steady = [](CallArguments) {
        return IValue(seconds(std::chrono::steady_clock::now().time_since_epoch()));
    };
    for (const char* name : {"perf_counter", "monotonic", "process_time"}) module.define(name, steady);
    module.define("time",
                  [](CallArguments) { return IValue(seconds(std::chrono::system_clock::now().time_since_epoch())); });
    module.define("perf_counter_ns", [](CallArguments) {
        return IValue(static_cast<std::int64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
    });
    const auto now = [] { return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()); };
    const auto local_time = [now](CallArguments a) {
        const bool is_given = !a.positional.empty() && !a.positional[0].is_none();
        const std::time_t moment = is_given ? static_cast<std::time_t>(to_float(a.positional[0])) : now();
        std::tm parts{};
        localtime_r(&moment, &parts);
        return make_tuple({IValue(parts.tm_year + 1900), IValue(parts.tm_mon + 1), IValue(parts.tm_mday), IValue(parts.tm_hour),
                           IValue(parts.tm_min), IValue(parts.tm_sec), IValue((parts.tm_wday + 6) % 7), IValue(parts.tm_yday + 1),
                           IValue(parts.tm_isdst)});
    };
    module.define("localtime", local_time);
    module.define("gmtime", local_time);
    module.define("strftime", [local_time](CallArguments a) {
        check_positional(a, "strftime", 1, 2);
        const std::vector<IValue> given = to_vector(a.positional.size() > 1 ? a.positional[1] : local_time({}));
        if (given.size() < 9) throw_type_error("function takes exactly 9 arguments");
        const auto part = [&](std::size_t i) { return static_cast<int>(to_index(given[i])); };
        std::tm parts{};
        parts.tm_year = part(0) - 1900;
        parts.tm_mon = part(1) - 1;
        parts.tm_mday = part(2);
        parts.tm_hour = part(3);
        parts.tm_min = part(4);
        parts.tm_sec = part(5);
        parts.tm_wday = (part(6) + 1) % 7;
        parts.tm_yday = part(7) - 1;
        std::array<char, 512> text{};
        const std::size_t size = std::strftime(text.data(), text.size(), str(a.positional[0]).c_str(), &parts);
        return IValue(std::string(text.data(), size));
    });
    module.define("sleep", [](CallArguments a) -> IValue {
        check_positional(a, "sleep", 1, 1);
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(to_float(a.positional[0]));
        while (std::chrono::steady_clock::now() < end) {
            check_cancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return {};
    });
}

void fill_sys(PythonModule& module) {
    module.define("maxsize", IValue(INT64_MAX));
    module.define("version", IValue("3.11 (Tensorloupe)"));
    module.define("version_info", make_tuple({IValue(3), IValue(11), IValue(0), IValue("final"), IValue(0)}));
    module.define("platform", IValue("linux"));
    module.define("byteorder", IValue("little"));
    module.define("argv", make_list({IValue("")}));
    module.define("path", make_list({}));
    module.define("modules", make_dict());
    const IValue output = output_stream("<stdout>", &Evaluator::write);
    Evaluator::current()->state().standard_output = output;
    module.define("stdout", output);
    module.define("__stdout__", output);
    module.define("stderr", output_stream("<stderr>", &Evaluator::write_error));
    module.define("getrecursionlimit", [](CallArguments) { return IValue(Evaluator::current()->state().recursion_limit); });
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

void fill_os(PythonModule& module) {
    module.define("name", IValue("posix"));
    module.define("sep", IValue("/"));
    module.define("linesep", IValue("\n"));
    const auto environment = make_dict();
    for (const auto& [name, value] : Evaluator::current()->state().options.environment) environment->set(IValue(name), IValue(value));
    module.define("environ", environment);
    module.define("cpu_count",
                  [](CallArguments) { return IValue(static_cast<std::int64_t>(std::thread::hardware_concurrency())); });
    module.define("getenv", [environment](CallArguments a) {
        check_positional(a, "getenv", 1, 2);
        if (const IValue* found = environment->find(a.positional[0])) return *found;
        return a.positional.size() > 1 ? a.positional[1] : IValue();
    });
    module.define("path", Evaluator::current()->import_module("os.path"));
    fill_os_files(module);
}

void fill_os_path(PythonModule& module) {
    const auto on_path = [&](std::string name, IValue (*work)(const std::string&)) {
        module.define(name, [name, work](CallArguments a) { return work(path_of(a, name)); });
    };
    module.define("join", [](CallArguments a) {
        std::string out;
        for (const IValue& part : a.positional) {
            const std::string text = path_text(part);
            if (text.starts_with('/') || out.empty())
                out = text;
            else
                out += out.ends_with('/') ? text : concat("/", text);
        }
        return IValue(out);
    });
    on_path("basename", [](const std::string& p) { return IValue(p.substr(p.rfind('/') + 1)); });
    on_path("dirname", [](const std::string& p) {
        const std::size_t slash = p.rfind('/');
        return IValue(slash == std::string::npos ? std::string() : slash == 0 ? std::string("/") : p.substr(0, slash));
    });
    on_path("splitext", [](const std::string& p) {
        const std::size_t dot = p.rfind('.');
        const std::size_t name = p.rfind('/') + 1;
        const bool has_suffix = dot != std::string::npos && dot > name;
        return make_tuple(
            {IValue(has_suffix ? p.substr(0, dot) : p), IValue(has_suffix ? p.substr(dot) : std::string())});
    });
    on_path("normpath", [](const std::string& p) { return IValue(std::filesystem::path(p).lexically_normal().string()); });
    fill_os_path_files(module);
    on_path("isabs", [](const std::string& p) { return IValue(p.starts_with('/')); });
}

void fill_copy(PythonModule& module) {
    module.define("copy", [](CallArguments a) {
        check_positional(a, "copy", 1, 1);
        return shallow_copy(a.positional[0]);
    });
    module.define("deepcopy", [](CallArguments a) {
        const BoundArguments given(a, "deepcopy", {"x", "memo="});
        return Copier().deep(given[0]);
    });
}

void fill_collections(PythonModule& module) { module.define("namedtuple", named_tuple); }

void fill_builtins(PythonModule& module) {
    for (auto& [name, value] : builtin_entries()) module.define(name, std::move(value));
}

}  // namespace loupe::python
