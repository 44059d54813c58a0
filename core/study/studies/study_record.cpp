// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/study_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/script_output.h"
#include "core/study/kept_state.h"
#include "core/study/studies/evaluation_mode.h"
#include "core/study/studies/frozen_parameters.h"
#include "core/study/studies/study_list.h"
#include "core/tensor/element_walk.h"
#include "core/value/map_tensors.h"

namespace loupe::session {
namespace {

std::string bound(const StudyOption& option, double value) {
    const bool is_whole = option.kind == StudyOption::Kind::Integer;
    return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : python_repr(value);
}

// Of plugins.
struct AddedStudies {
    std::mutex mutex;
    std::vector<const StudyRecord*> all;
};
AddedStudies& added_studies() {
    static AddedStudies added;
    return added;
}

[[noreturn]] void refuse_value(const StudyOption& option, const std::string& value, const std::string& wanted) {
    throw Error(ErrorKind::Usage, concat(option.name, ": ", loupe::quoted(value), " is no ", wanted));
}

double number_of(const StudyOption& option, const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, value);
    if (failed != std::errc() || stop != end || !std::isfinite(value)) refuse_value(option, text, "number");
    return value;
}

void check(const StudyOption& option, const std::string& value) {
    using Kind = StudyOption::Kind;
    switch (option.kind) {
        case Kind::Text:
            return;
        case Kind::Choice:
            if (std::ranges::find(option.choices, value) == option.choices.end())
                throw Error(ErrorKind::Usage, concat(option.name, ": ", loupe::quoted(value), " is none of ",
                                                     join(option.choices, ", ")));
            return;
        case Kind::Integer:
        case Kind::Number: {
            const double number = number_of(option, value);
            if (option.kind == Kind::Integer && number != std::floor(number))
                refuse_value(option, value, "whole number");
            if (number < option.low || number > option.high)
                throw Error(ErrorKind::Usage, concat(option.name, " ", value, " is not from ",
                                                     bound(option, option.low), " to ", bound(option, option.high)));
            return;
        }
    }
}

std::vector<std::int64_t> integers_of(const Tensor& t) {
    std::vector<std::int64_t> out;
    const Tensor wide = fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Int64));
    walk_elements<std::int64_t>(wide, true, [&](const std::int64_t* elements, std::int64_t n) {
        out.insert(out.end(), elements, elements + n);
    });
    return out;
}

bool is_tensor_of(const IValue& value, bool floating) {
    if (!value.is_tensor() || !value.to_tensor().defined()) return false;
    const ScalarType dtype = value.to_tensor().dtype();
    return floating ? is_floating(dtype) : is_integral(dtype) && dtype != ScalarType::Bool;
}

}  // namespace

const std::vector<IValue>& StudySubject::arguments() const {
    if (!arguments_) arguments_ = make_arguments_();
    return *arguments_;
}

std::vector<IValue> StudySubject::fresh_arguments() const {
    std::vector<IValue> out;
    for (const IValue& each : arguments())
        out.push_back(copy_with_tensors(each, [](const Tensor& t) { return t.defined() ? fn::clone(detach(t)) : t; }));
    return out;
}

std::string StudySubject::argument_name(std::size_t place) const {
    const FunctionSchema& schema = program_->schema(method_);
    const bool has_self = !schema.arguments.empty() && schema.arguments.front().name == "self";
    const std::size_t at = place + (has_self ? 1 : 0);
    return at < schema.arguments.size() ? schema.arguments[at].name : concat("arg", place);
}

std::optional<std::size_t> StudySubject::input_place(const std::string& name) const {
    const auto& all = arguments();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!name.empty() && argument_name(i) != name) continue;
        if (is_tensor_of(all[i], true)) return i;
        if (!name.empty())
            throw Error(ErrorKind::Usage, concat("the input ", name, " has no gradient: it is ",
                                                 all[i].is_tensor() ? describe(all[i].to_tensor()) : "no tensor"));
    }
    if (!name.empty()) throw Error(ErrorKind::Usage, concat("no input ", loupe::quoted(name)));
    return std::nullopt;
}

std::optional<std::size_t> StudySubject::ids_place() const {
    const auto& all = arguments();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_tensor_of(all[i], false)) continue;
        const Tensor& t = all[i].to_tensor();
        if (t.numel() > 0 && (t.dim() == 1 || t.dim() == 2)) return i;
    }
    return std::nullopt;
}

std::vector<std::int64_t> StudySubject::ids() const {
    const auto place = ids_place();
    return place ? integers_of(arguments()[*place].to_tensor()) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> StudySubject::scored_ids() const {
    const auto& all = arguments();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (argument_name(i) == "decoder_input_ids" && is_tensor_of(all[i], false))
            return integers_of(all[i].to_tensor());
    return ids();
}

bool StudySubject::has_parameter_of_rank(std::size_t rank) const {
    for (const ModuleInfo& module : info().modules)
        for (const TensorInfo& parameter : module.parameters)
            if (parameter.shape.size() == rank) return true;
    return false;
}

StudyChoices::StudyChoices(const std::vector<StudyOption>& options, const std::map<std::string, std::string>& given) {
    for (const auto& [name, value] : given) {
        if (std::ranges::find(options, name, &StudyOption::name) != options.end()) continue;
        std::vector<std::string> names;
        for (const StudyOption& option : options) names.push_back(option.name);
        throw Error(ErrorKind::Usage, concat("no option ", loupe::quoted(name)),
                    {.hint = names.empty() ? "this study has none" : concat("there are ", join(names, ", "))});
    }
    for (const StudyOption& option : options) {
        const auto chosen = given.find(option.name);
        const std::string& value = chosen == given.end() ? option.value : chosen->second;
        check(option, value);
        values_[option.name] = value;
    }
}

const std::string& StudyChoices::text(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Error(ErrorKind::Internal, concat("a study has no option ", name));
    return found->second;
}
double StudyChoices::number(std::string_view name) const {
    const std::string& value = text(name);
    double number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
}
std::int64_t StudyChoices::integer(std::string_view name) const { return static_cast<std::int64_t>(number(name)); }

std::vector<const StudyRecord*> all_studies() {
    std::vector<const StudyRecord*> all = own_studies();
    AddedStudies& added = added_studies();
    const std::lock_guard lock(added.mutex);
    all.insert(all.end(), added.all.begin(), added.all.end());
    return all;
}

const StudyRecord* find_study(std::string_view name) {
    const auto all = all_studies();
    const auto found = std::ranges::find(all, name, &StudyRecord::name);
    return found == all.end() ? nullptr : *found;
}

void add_study(const StudyRecord& record) {
    if (find_study(record.name) != nullptr)
        throw Error(ErrorKind::Plugin, concat("gives the study '", record.name, "', which is there"));
    AddedStudies& added = added_studies();
    const std::lock_guard lock(added.mutex);
    added.all.push_back(&record);
}

StudyInfo describe_study(const StudyRecord& record, const StudySubject& subject) {
    StudyInfo out;
    out.name = record.name;
    out.title = record.title;
    out.what = record.what;
    out.paper = record.paper;
    out.results = record.results;
    out.panel = record.panel;
    try {
        if (record.why_not != nullptr) out.why_not = record.why_not(subject);
        if (out.why_not.empty() && record.options != nullptr) out.options = record.options(subject);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        out.why_not = error.what();
    }
    return out;
}

StudyOutcome run_study(const StudyRecord& record, const StudySubject& subject,
                       const std::map<std::string, std::string>& given, const StudyReport& report) {
    if (record.answer == nullptr)
        throw Error(ErrorKind::Usage, concat(record.title, " is shown by the panel ", record.panel, " of the window"));
    const StudyInfo info = describe_study(record, subject);
    if (!info.why_not.empty()) throw Error(ErrorKind::Usage, concat(record.title, ": ", info.why_not));
    const StudyChoices choices(info.options, given);
    const KeptState kept(subject.program().module());
    const FrozenParameters frozen(subject.program().module());
    const EvaluationMode evaluation(subject.program().module());
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const runtime::PrintScope no_prints([](std::string_view) {});
    const ObserverScope unobserved(nullptr);
    const GradModeScope no_grad(false);
    return record.answer(
        subject, choices, report ? report : [](StudyProgress) {});
}

}  // namespace loupe::session
