// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/source_edit.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/runner.h"
#include "core/python/language/source_parts.h"

namespace loupe::python {

using Function = SourceParts::Function;
using Item = SourceParts::Item;

namespace {

std::string in_ticks(std::string_view name) { return concat("`", name, "`"); }

bool is_source(const Unit& unit, std::string_view file) {
    return !unit.is_library && unit.source->file() && *unit.source->file() == file;
}

int line_of(const ir::SourceRange& range) {
    return static_cast<int>(range.source->starting_line() + range.source->line_of(range.start)) + 1;
}

// The names behind a code's own cells: those of functions around it.
std::vector<std::string> captured_names(const Code& code) {
    return {code.cells.begin() + static_cast<std::ptrdiff_t>(code.own_cells), code.cells.end()};
}

// The same statement, whatever became of the body of a function; else the one of that name.
const Item* partner_of(const Item& item, const std::vector<Item>& items) {
    const auto is_alike = [&](const Item& other) {
        return other.kind == item.kind && other.scope == item.scope && other.name == item.name;
    };
    const auto same = std::find_if(items.begin(), items.end(),
                                   [&](const Item& other) { return is_alike(other) && other.tokens == item.tokens; });
    if (same != items.end()) return &*same;
    const bool is_named =
        item.kind == Item::Kind::Function || item.kind == Item::Kind::Class || item.kind == Item::Kind::Constant;
    const auto named = is_named ? std::find_if(items.begin(), items.end(), is_alike) : items.end();
    return named == items.end() ? nullptr : &*named;
}

bool has_class(const std::vector<Item>& items, std::string_view name) {
    return std::any_of(items.begin(), items.end(),
                       [&](const Item& item) { return item.kind == Item::Kind::Class && item.name == name; });
}

// Can a function that was made of the one run the other? Its defaults stand by the parameters.
bool takes_the_same(const Code& was, const Code& is) {
    return was.params.size() == is.params.size() && was.positional_count == is.positional_count &&
           captured_names(was) == captured_names(is);
}

// Of the module, or by the dots of its qualified name; null: there is none (any more).
ClassPtr find_class(const Unit& unit, std::string_view qualified_name) {
    ClassPtr at;
    for (const std::string_view name : split(qualified_name, '.')) {
        const std::optional<IValue> global = at ? std::nullopt : unit.globals->find(name);
        const IValue* found = at ? at->find(name) : global ? &*global : nullptr;
        if (found == nullptr) return nullptr;
        at = ClassPtr(object_as<ClassObject>(*found));
        if (!at) return nullptr;
    }
    return at;
}

}  // namespace

// Something that is other now. Of a function that runs it: what it has run before counts.
struct SourceEdit::Change {
    std::string text;            // "`Net.forward` changed"
    const Code* code = nullptr;  // of the function as it was; null: it is made when the module is loaded
    std::string name;            // of the function
    ir::SourceRange place;
    bool cannot_begin_again = false;  // its caller has done what is other now
    std::string never;                // not empty: it takes effect only from the start, because
};

SourceEdit::SourceEdit(Evaluator& evaluator, const std::string& file, std::string text) : evaluator_(evaluator) {
    const auto& units = evaluator.state().units;
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const Ptr<Unit>& unit) { return is_source(*unit, file); });
    if (found == units.end()) throw Error(ErrorKind::Usage, concat(file, " is no source of the model that runs"));
    before_ = *found;
    const auto source = std::make_shared<const ir::Source>(std::move(text), file);
    now_ = make_ptr<Unit>(&evaluator, source, before_->name, before_->globals);
    now_->package = before_->package;
    was_ = std::make_unique<SourceParts>(*before_);
    is_ = std::make_unique<SourceParts>(*now_);
}

SourceEdit::~SourceEdit() = default;

const std::shared_ptr<const ir::Source>& SourceEdit::source() const { return now_->source; }

std::vector<SourceEdit::Change> SourceEdit::changes() const {
    std::vector<Change> out;
    for (const Function& was : was_->functions()) {
        const Function* is = is_->find(was.key);
        if (is == nullptr) {
            out.push_back({concat(in_ticks(was.key), " is gone"), was.code, was.key, {now_->source, 0, 0}, true, {}});
            continue;
        }
        const ir::SourceRange place{now_->source, is->body.begin, is->body.end};
        if (captured_names(*was.code) != captured_names(*is->code)) {
            out.push_back({concat(in_ticks(was.key), " changed"), was.code, was.key, place, false,
                           "it takes other names of what is around it (or super()), which was made before"});
        } else if (was.tokens != is->tokens || was.code->is_generator != is->code->is_generator) {
            out.push_back({concat(in_ticks(was.key), " changed"), was.code, was.key, place, false, {}});
        }
    }
    // Module level and classes.
    const auto readers = [&](const Item& item, const ir::SourceRange& place, std::string_view what) {
        for (const Function& was : was_->functions()) {
            const bool reads = std::any_of(item.bound.begin(), item.bound.end(),
                                           [&](const std::string& name) { return was.names.contains(name); });
            if (reads)
                out.push_back({concat(in_ticks(item.name), " ", what, ", which ", in_ticks(was.key), " reads"),
                               was.code,
                               was.key,
                               place,
                               false,
                               {}});
        }
        for (const Item& other : was_->items()) {
            const bool is_self = other.kind == item.kind && other.name == item.name && other.scope == item.scope;
            if (is_self) continue;
            for (const std::string& name : item.bound) {
                if (!other.names.contains(name)) continue;
                out.push_back({concat(in_ticks(name), " ", what),
                               nullptr,
                               {},
                               place,
                               false,
                               concat("line ", line_of(other.range), " read it when the source was loaded")});
                break;
            }
        }
    };
    const auto at_load = [&](const ir::SourceRange& place, std::string text) {
        out.push_back({std::move(text), nullptr, {}, place, false, "it ran before, when the source was loaded"});
    };
    for (const Item& was : was_->items()) {
        const Item* is = partner_of(was, is_->items());
        const ir::SourceRange place = is != nullptr ? is->range : ir::SourceRange{now_->source, 0, 0};
        if (is == nullptr) {
            if (was.kind == Item::Kind::Function) continue;  // said above
            if (was.kind != Item::Kind::Other)
                readers(was, place, "is gone");
            else
                at_load(place, concat("line ", line_of(was.range), " is gone"));
        } else if (was.tokens != is->tokens) {
            if (was.kind == Item::Kind::Constant)
                readers(was, place, "changed");
            else if (was.kind == Item::Kind::Class)
                at_load(place, concat("the bases of class ", in_ticks(was.name), " changed"));
            else
                out.push_back({concat("the parameters of ", in_ticks(was.name), " changed"),
                               was.code,
                               was.name,
                               place,
                               true,
                               {}});
        }
    }
    for (const Item& is : is_->items()) {
        if (is.kind == Item::Kind::Other && partner_of(is, was_->items()) == nullptr)
            at_load(is.range, concat("line ", line_of(is.range), " is new at the level of the ",
                                     is.scope.empty() ? "module" : "class"));
    }
    return out;
}

// The statement that defines what begins again; else of what changed.
ir::SourceRange SourceEdit::place_of_hold(const Verdict& verdict, const std::vector<Change>& all) const {
    const std::string& name =
        !verdict.function.empty() || verdict.changed.empty() ? verdict.function : verdict.changed.front();
    for (const Item& item : is_->items()) {
        if (!name.empty() && item.name == name) return item.range;
    }
    return all.empty() ? ir::SourceRange{now_->source, 0, 0} : all.front().place;
}

SourceEdit::Verdict SourceEdit::judge(const RunCalls& calls) const {
    Verdict out;
    const std::vector<Change> all = changes();
    for (const Change& change : all) {
        if (!change.name.empty() && std::find(out.changed.begin(), out.changed.end(), change.name) == out.changed.end())
            out.changed.push_back(change.name);
    }
    for (const Item& is : is_->items()) {
        const bool is_new = partner_of(is, was_->items()) == nullptr;
        if (is_new && !is.name.empty()) out.changed.push_back(is.name);
    }
    // The outermost live frame of what changed.
    const auto changed_live = std::find_if(calls.live().begin(), calls.live().end(), [&](const RunCalls::Call& call) {
        return std::any_of(all.begin(), all.end(), [&](const Change& change) { return change.code == call.code; });
    });
    if (changed_live != calls.live().end()) {
        out.restarts = *changed_live;
        const Function* function = was_->find(*changed_live->code);
        out.function = function != nullptr ? function->key : changed_live->code->qualified_name;
    }
    out.takes_hold = place_of_hold(out, all);
    const auto refuse = [&](const Change& change, std::string_view why) {
        if (!out.why_not.empty()) return;
        out.why_not = concat(change.text, ": ", why);
        out.place = change.place;
    };
    for (const Change& change : all) {
        const bool made_model = change.code != nullptr && evaluator_.state().made_model.contains(change.code);
        const bool is_live = std::any_of(calls.live().begin(), calls.live().end(),
                                         [&](const RunCalls::Call& call) { return call.code == change.code; });
        const RunCalls::Call* first = change.code != nullptr ? calls.first_of(*change.code) : nullptr;
        if (change.code == nullptr)
            refuse(change, change.never);
        else if (made_model)
            refuse(change, "it ran before, when the model was made");
        else if (!change.never.empty())
            refuse(change, change.never);
        else if (is_live && change.cannot_begin_again)
            refuse(change, "it is running, called as it was");
        else if (first != nullptr && (!out.restarts || first->order < out.restarts->order))
            refuse(change, concat("it ran before, from #", first->event, " on"));
    }
    return out;
}

void SourceEdit::apply() {
    Evaluator::State& state = evaluator_.state();
    // Functions whose parameters changed are made anew: their defaults are other values.
    const auto is_made_anew = [&](const Function& was) {
        for (const Item& item : was_->items()) {
            if (item.code != was.code) continue;
            const Item* is = partner_of(item, is_->items());
            return is != nullptr && is->tokens != item.tokens;
        }
        return false;
    };
    std::unordered_map<const Code*, const Code*> newest;
    for (const Function& was : was_->functions()) {
        const Function* is = is_->find(was.key);
        if (is != nullptr && !is_made_anew(was) && takes_the_same(*was.code, *is->code)) newest[was.code] = is->code;
    }
    make_new_parts();
    for (auto& [code, edited] : state.edited) {
        if (const auto found = newest.find(edited.code); found != newest.end()) edited = {now_, found->second};
    }
    for (const auto& [was, is] : newest) state.edited[was] = {now_, is};
    std::unordered_set<const Code*> made_model;
    for (const Code* code : state.made_model) {
        const auto found = newest.find(code);
        made_model.insert(found != newest.end() ? found->second : code);
    }
    state.made_model = std::move(made_model);
    std::replace(state.units.begin(), state.units.end(), before_, now_);
    if (state.main == before_) state.main = now_;
}

// First, as it may fail: the program is as it was then, but for a name more.
void SourceEdit::make_new_parts() {
    evaluator_.run([&]() -> IValue {
        for (const Item& is : is_->items()) {
            const Item* was = partner_of(is, was_->items());
            if (was != nullptr && was->tokens == is.tokens) continue;
            if (is.scope.empty())
                run_in_module(*now_, is.statement);
            else if (const ClassPtr cls = find_class(*now_, is.scope); cls && has_class(was_->items(), is.scope))
                run_in_class(*now_, *is.in_class, *cls, is.statement);
        }
        for (const Item& was : was_->items()) {
            if (partner_of(was, is_->items()) != nullptr) continue;
            const std::vector<std::string> names =
                was.kind == Item::Kind::Function ? std::vector<std::string>{was.code->name} : was.bound;
            const ClassPtr cls = was.scope.empty() ? nullptr : find_class(*now_, was.scope);
            for (const std::string& name : names) {
                if (was.scope.empty())
                    now_->globals->erase(name);
                else if (cls)
                    cls->attributes().erase(name);
            }
        }
        return {};
    });
}

}  // namespace loupe::python
