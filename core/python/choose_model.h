// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which model a source means, and how it is built.

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/formats/eager_model.h"
#include "core/python/language/evaluator.h"

namespace loupe::python {

// A source that does not say which of its classes is the model, or with what arguments.
class ModelNeeded final : public Error {
  public:
    ModelNeeded(std::string message, std::string hint, std::vector<Constructor> classes)
        : Error(ErrorKind::File, std::move(message), {.hint = std::move(hint)}), constructors(std::move(classes)) {}
    const std::vector<Constructor> constructors;  // the likeliest first
};

struct ChosenModel {
    IValue model;                           // None: the source has none
    std::vector<Constructor> constructors;  // what builds it first, then what else could be built
    std::string expression;                 // what built it, where that was not said: "resnet18()"
    std::string refused_by, refused_why;    // of the first that could not be built as it is for want of arguments
    std::string guessed_from;               // of arguments that were guessed: "README.md", "names and uses"; else empty
    std::vector<std::string> inputs = {};   // expressions for forward that stand where the arguments do
};

// build: the expression that makes it; empty: the first of these that there is, by the names of a main module that has
// run without its `if __name__ == "__main__":`
//  - what is called `model`;
//  - where it defines model classes, a module among its values: the one with the most parameters;
//  - a class derived from torch.nn.Module that needs no arguments and is no part or base of another: the one that is
//    called as the file, else the last;
//  - a function that needs no arguments and makes one of its classes;
//  - a module that the postponed block makes, which runs until then; without such a class the block runs to its end;
//  - a class that needs arguments, with those of a call nearby or guessed ones (guess/constructor_guess.h).
// Throws ModelNeeded where no arguments for a class are found, Error where nothing can be built.
ChosenModel choose_model(Evaluator& evaluator, const Namespace& names, const std::string& build);

}  // namespace loupe::python
