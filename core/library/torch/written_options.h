// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options classes of torch::nn and torch::optim, written from schemas. Of write_layers and write_functional.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/schema.h"

namespace loupe::torch_api {

struct Option {
    std::string name;      // LibTorch's
    std::string argument;  // the schema's
    std::string type;      // of C++
    std::string initial;   // the value without one given; empty: the type's own
    bool is_required = false;
    // An empty optional is no argument, for arguments that may not be None.
    bool is_left_out_empty = false;
};

// The arguments from `first` on that LibTorch's options have too. class_name: "Conv2dOptions", "Conv2dFuncOptions".
std::vector<Option> options_of(std::string_view class_name, const FunctionSchema& schema, std::size_t first);
// "std::int64_t a, double b" of the first `count` options; without types "a, b".
std::string parameters_text(const std::vector<Option>& options, std::size_t count, bool with_types);
// The counts of options that a constructor takes: those it needs; none and one where it needs none.
std::vector<std::size_t> constructor_counts(const std::vector<Option>& options);

// A class: its declaration and the definitions of its functions.
struct ClassText {
    std::string declared, written;
};
// base: ": public Base " or nothing; with one the declaration stays open for more members.
ClassText options_class(const std::string& class_name, std::string_view base, const std::vector<Option>& options,
                        const std::vector<std::size_t>& counts);

void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace loupe::torch_api
