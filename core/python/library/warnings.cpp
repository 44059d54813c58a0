// SPDX-License-Identifier: Apache-2.0
// The module `warnings`, and the warnings of torch on their way to it.

#include <regex>
#include <set>

#include "core/base/strings.h"
#include "core/ops/numbers/warnings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/context_manager.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

struct Filter {
    std::string action;
    std::string message;  // a regular expression for its start; empty: any
    ClassPtr category;
};

struct WarningState final : RefCounted {
    std::vector<Filter> filters;    // the newest first
    std::vector<IValue> recorders;  // lists, of catch_warnings(record=True)
    std::set<std::string> shown;    // with category and place
};

WarningState& state() { return Evaluator::current()->state().part<WarningState>(); }

std::string action_for(const ClassObject& category, const std::string& text) {
    for (const Filter& filter : state().filters) {
        if (filter.category && !category.is_subclass_of(*filter.category)) continue;
        if (filter.message.empty()) return filter.action;
        const std::regex pattern(filter.message, std::regex::ECMAScript | std::regex::icase);
        if (std::regex_search(text, pattern, std::regex_constants::match_continuous)) return filter.action;
    }
    return "default";
}

IValue recorded(const Ptr<ExceptionObject>& message, const ClassPtr& category, const std::string& file,
                std::int64_t line) {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("WarningMessage", "warnings", std::vector<ClassPtr>{});
        out->set_builtin(nullptr);
        return ClassPtr(out);
    }();
    const auto out = make_ptr<Instance>(cls);
    out->attributes.set("message", IValue::other(message));
    out->attributes.set("category", IValue::other(category));
    out->attributes.set("filename", IValue(file));
    out->attributes.set("lineno", IValue(line));
    return IValue::other(out);
}

void give(const Ptr<ExceptionObject>& message, const ClassPtr& category) {
    const ir::SourceRange range = current_range();
    const auto at = range.source ? range.position() : std::nullopt;
    const std::string file = at ? at->file : "<unknown>";
    const std::int64_t line = at ? static_cast<std::int64_t>(at->line) : 0;
    const std::string text = message->message();
    const std::string action = action_for(*category, text);
    if (action == "ignore") return;
    if (action == "error") throw PythonError(message);
    WarningState& own = state();
    const std::string place = action == "once" ? "" : concat(file, ":", line);
    if (action != "always" && !own.shown.insert(concat(category->name(), "\n", text, "\n", place)).second) return;
    if (!own.recorders.empty()) {
        own.recorders.back().to_list().elements.push_back(recorded(message, category, file, line));
        return;
    }
    Evaluator::current()->write_error(
        concat(at ? concat(file, ":", line, ": ") : "", category->name(), ": ", text, "\n"));
}

IValue warn_function(CallArguments arguments) {
    const BoundArguments given(arguments, "warn", {"message", "category=", "stacklevel=", "source="});
    if (auto* instance = object_as<ExceptionObject>(given[0])) {
        give(Ptr<ExceptionObject>(instance), instance->cls());
        return {};
    }
    auto* named = given.has(1) ? object_as<ClassObject>(given[1]) : nullptr;
    const ClassPtr category = named != nullptr ? ClassPtr(named) : exception_class("UserWarning");
    give(make_ptr<ExceptionObject>(category, std::vector<IValue>{IValue(str(given[0]))}), category);
    return {};
}

ClassPtr category_of(const BoundArguments& given, std::size_t index) {
    auto* cls = given.has(index) ? object_as<ClassObject>(given[index]) : nullptr;
    return cls != nullptr ? ClassPtr(cls) : nullptr;
}

void add_filter(Filter filter, bool append) {
    auto& filters = state().filters;
    filters.insert(append ? filters.end() : filters.begin(), std::move(filter));
    state().shown.clear();
}

IValue catch_warnings(CallArguments arguments) {
    const BoundArguments given(arguments, "catch_warnings",
                               {"*", "record=", "module=", "action=", "category=", "lineno=", "append="});
    const bool record = given.truth_or(0, false);
    const std::string action = given.has(2) && !given[2].is_none() ? str(given[2]) : "";
    // What there was before comes back.
    struct Scope {
        Scope(bool records) : before(state().filters), is_recording(records) {
            if (is_recording) state().recorders.push_back(make_list({}));
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() {
            if (Evaluator::current() == nullptr) return;
            state().filters = before;
            state().shown.clear();
            if (is_recording && !state().recorders.empty()) state().recorders.pop_back();
        }
        std::vector<Filter> before;
        bool is_recording;
    };
    return make_scope(
        "catch_warnings", "warnings",
        [record, action, category = category_of(given, 3)] {
            auto scope = std::make_shared<Scope>(record);
            if (!action.empty()) add_filter({action, "", category}, false);
            return scope;
        },
        [record] { return record ? state().recorders.back() : IValue(); });
}

}  // namespace

bool take_warning(std::string_view category, std::string_view message) {
    if (Evaluator::current() == nullptr) return false;
    const ClassPtr found = exception_class(category);
    const ClassPtr cls = found ? found : exception_class("UserWarning");
    give(make_ptr<ExceptionObject>(cls, std::vector<IValue>{IValue(std::string(message))}), cls);
    return true;
}

void fill_warnings(PythonModule& module) {
    module.define("warn", warn_function);
    module.define("filterwarnings", [](CallArguments arguments) {
        const BoundArguments given(arguments, "filterwarnings",
                                   {"action", "message=", "category=", "module=", "lineno=", "append="});
        add_filter({str(given[0]), given.has(1) ? str(given[1]) : "", category_of(given, 2)}, given.truth_or(5, false));
        return IValue();
    });
    module.define("simplefilter", [](CallArguments arguments) {
        const BoundArguments given(arguments, "simplefilter", {"action", "category=", "lineno=", "append="});
        add_filter({str(given[0]), "", category_of(given, 1)}, given.truth_or(3, false));
        return IValue();
    });
    module.define("resetwarnings", [](CallArguments) {
        state().filters.clear();
        return IValue();
    });
    module.define("catch_warnings", catch_warnings);
    // showwarning(message, category, filename, lineno, file=None, line=None): to standard error.
    module.define("showwarning", [](CallArguments arguments) -> IValue {
        const BoundArguments given(arguments, "showwarning",
                                   {"message", "category", "filename", "lineno", "file=", "line="});
        Evaluator::current()->write_error(concat(str(given[2]), ":", str(given[3]), ": ",
                                                 str(get_attribute(given[1], "__name__")), ": ", str(given[0]), "\n"));
        return {};
    });
}

}  // namespace loupe::python
