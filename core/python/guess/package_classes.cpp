// SPDX-License-Identifier: Apache-2.0
#include "core/python/guess/package_classes.h"

#include <algorithm>
#include <chrono>

#include "core/base/strings.h"
#include "core/python/callables.h"
#include "core/python/guess/syntax_walk.h"
#include "core/python/guess/trial.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/frame.h"
#include "core/python/source_words.h"
#include "core/python/torch/nn_module.h"

namespace loupe::python {
namespace {

constexpr std::chrono::milliseconds kImportTime{4000};
constexpr std::size_t kMostFiles = 6;
constexpr std::size_t kMostClasses = 3;

// Does a method give self the attribute?
bool assigns(script::Body body, const std::string& target) {
    return std::any_of(body.begin(), body.end(), [&](const script::Stmt* s) {
        if (const auto* assign = script::as<script::Assign>(s)) {
            for (const script::Expr* each : assign->targets) {
                bool is_it = dotted_name(*each) == target;
                if (each->kind == script::ExprKind::Tuple)
                    for_each_part(*each,
                                  [&](const script::Expr& part) { is_it = is_it || dotted_name(part) == target; });
                if (is_it) return true;
            }
        }
        const std::vector<script::Body> blocks = blocks_of(*s);
        return std::any_of(blocks.begin(), blocks.end(), [&](script::Body block) { return assigns(block, target); });
    });
}

bool has_attribute(const ClassObject& cls, const std::string& attribute) {
    if (cls.find(attribute) != nullptr) return true;
    for (const ClassObject* base : cls.mro()) {
        if (base->is_builtin()) continue;
        for (const auto& [name, value] : base->attributes().entries()) {
            const FunctionObject* function = function_of(value);
            if (function != nullptr && assigns(function->code.body, concat("self.", attribute))) return true;
        }
    }
    return false;
}

bool is_called_as(std::string_view cls, std::string_view argument) {
    return argument.size() > 3 && plain_name(cls) == plain_name(argument);
}

bool fits(const IValue& value, const std::string& name, const std::set<std::string>& attributes,
          std::string_view argument) {
    const auto* cls = object_as<ClassObject>(value);
    if (cls == nullptr || cls->is_builtin() || !cls->is_subclass_of(*nn_module_class())) return false;
    if (attributes.empty()) return is_called_as(name, argument);
    return std::all_of(attributes.begin(), attributes.end(),
                       [&](const std::string& each) { return has_attribute(*cls, each); });
}

// Another class of the text is made with it.
bool is_part(const std::string& text, const std::string& name) {
    return text.find(concat("= ", name, "(")) != std::string::npos;
}

}  // namespace

PackageClasses::PackageClasses(Evaluator& evaluator, const Namespace& names, NearbyTexts& nearby)
    : evaluator_(evaluator), names_(names), nearby_(nearby) {}

void PackageClasses::add_of_file(const NearbyText& file, const std::set<std::string>& attributes,
                                 std::string_view argument, std::vector<FoundClass>& to) {
    const std::string path = file.place.substr(0, file.place.size() - 3);
    std::string module = path;
    std::replace(module.begin(), module.end(), '/', '.');
    const Trial trial = try_out(
        evaluator_, [&] { return evaluator_.import_module(module); }, kImportTime);
    if (!trial.succeeded) return;
    const auto* imported = object_as<PythonModule>(trial.value);
    if (imported == nullptr) return;
    std::vector<FoundClass> parts;
    for (const auto& [name, value] : imported->entries()) {
        const auto* cls = object_as<ClassObject>(value);
        if (cls == nullptr || cls->module() != module || !fits(value, name, attributes, argument)) continue;
        const std::string from = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
        FoundClass found{name, concat("__import__('", module, "', fromlist=['", from, "']).", name), value};
        (is_part(file.text, name) ? parts : to).push_back(std::move(found));
    }
    to.insert(to.end(), parts.begin(), parts.end());
}

std::vector<FoundClass> PackageClasses::with(const std::set<std::string>& attributes, std::string_view argument) {
    std::vector<FoundClass> out;
    for (const auto& [name, value] : names_.entries()) {
        if (fits(value, name, attributes, argument)) out.push_back({name, name, value});
    }
    std::vector<NearbyText> files;
    for (NearbyText& each : nearby_.with("Module")) {
        const bool is_code = each.place.ends_with(".py") && each.text.find("class ") != std::string::npos &&
                             each.text.find("def forward") != std::string::npos;
        const bool has_all = attributes.empty()
                                 ? argument.size() > 3 && plain_name(each.text).find(concat(
                                                              "class", plain_name(argument))) != std::string::npos
                                 : std::all_of(attributes.begin(), attributes.end(),
                                               [&](const std::string& word) { return has_word(each.text, word); });
        if (is_code && has_all && files.size() < kMostFiles) files.push_back(std::move(each));
    }
    for (const NearbyText& file : files) add_of_file(file, attributes, argument, out);
    std::stable_partition(out.begin(), out.end(),
                          [&](const FoundClass& each) { return is_called_as(each.name, argument); });
    if (out.size() > kMostClasses) out.resize(kMostClasses);
    return out;
}

}  // namespace loupe::python
