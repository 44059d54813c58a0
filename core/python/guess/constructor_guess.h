// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arguments for a class of a model source that needs some: those of a call that stands near it, else values by what the
// class says of them and does with them, tried until the class can be made.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/python/guess/nearby_texts.h"
#include "core/python/guess/package_classes.h"
#include "core/python/guess/parameter_facts.h"
#include "core/python/guess/trial.h"
#include "core/python/guess/value_names.h"

namespace loupe::python {

struct ConstructorGuess {
    std::string expression;           // "UNet(in_channels=3, out_channels=64)"
    std::vector<std::string> inputs;  // expressions that the call's text gives the model; may be empty
    std::string from;                 // "README.md": where the call stands; empty: values were guessed
};

class ConstructorGuesser {
  public:
    ConstructorGuesser(Evaluator& evaluator, const Namespace& names);

    using Values = std::vector<std::pair<std::string, std::string>>;  // expressions by the names of arguments

    // fixed: arguments that are given; the others are found. nullopt: nothing was found that works. Everything that it
    // tries is let go; random numbers are as before.
    std::optional<ConstructorGuess> guess(const std::string& name, const IValue& callable, const Values& fixed = {});
    // The first values for its arguments without a default, by name: what a form can begin with.
    Values first_values(const IValue& callable);
    // What stood in the way of the last guess.
    const std::string& obstacle() const { return obstacle_; }

  private:
    struct Parameter {
        std::string name, annotation;
        std::optional<std::string> default_value;
    };
    // An argument, or an attribute of one, and what it may be.
    struct Slot {
        std::string name;
        ParameterFacts facts;
        std::vector<std::string> candidates;
        std::size_t chosen = 0;
        std::vector<Slot> fields = {};  // of an object with settings
        bool is_dict = false;
        bool is_given = false;
    };
    struct Search;

    std::vector<Parameter> parameters_of(const IValue& callable, bool& takes_keywords) const;
    Slot slot_for(const Parameter& parameter, const ParameterFacts& facts, const IValue& owner);
    std::vector<std::string> class_values(const Parameter& parameter, const ParameterFacts& facts, const IValue& owner);
    std::optional<std::string> value_of_class(const FoundClass& cls);
    std::vector<std::string> package_values(const Parameter& parameter, const ParameterFacts& facts,
                                            const IValue& owner);
    std::optional<ConstructorGuess> guess(const FoundClass& cls, const Values& fixed);
    std::optional<ConstructorGuess> from_examples(const FoundClass& cls);
    std::optional<ConstructorGuess> from_values(const FoundClass& cls, const Values& fixed);
    Trial attempt(const std::string& expression, std::chrono::milliseconds limit);
    std::string text_of_slot(const Slot& slot) const;
    std::string call_text(const std::string& name, const std::vector<Slot>& slots) const;
    bool is_known(std::string_view name) const;
    void read_defaults();
    bool is_over() const { return std::chrono::steady_clock::now() > end_; }

    Evaluator& evaluator_;
    const Namespace& names_;
    ValueNames value_names_;
    NearbyTexts nearby_;
    PackageClasses package_;
    std::map<std::string, std::string, std::less<>> defaults_;  // literals that arguments of the source have, by name
    std::map<std::string, std::optional<std::string>, std::less<>> made_;  // classes that arguments may be
    int depth_ = 0;
    std::chrono::steady_clock::time_point end_;
    std::string obstacle_;
};

}  // namespace loupe::python
