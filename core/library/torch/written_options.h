// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options classes of torch::nn, written from schemas. Of write_layers and write_functional.

#include <filesystem>
#include <string>
#include <vector>

#include "core/value/schema.h"

namespace loupe::torch_api {

struct Option {
    std::string name;                // LibTorch's
    std::string argument;            // the schema's
    std::vector<std::string> types;  // that a setter takes; of several the one that fits a number first
    std::string getter;              // the type that is read back; empty for options that are not
    std::string default_value;       // what is read when it was not given
    bool is_required = false;
    bool is_plain_list = false;  // a number does not stand for it
};

// The arguments from `first` on that LibTorch's options have too.
std::vector<Option> options_of(const FunctionSchema& schema, std::size_t first);
// "std::int64_t a, double b" of the first `count` options; without types "a, b".
std::string parameters_text(const std::vector<Option>& options, std::size_t count, bool with_types);
// The counts of options that a constructor takes: those it needs; none and one where it needs none.
std::vector<std::size_t> constructor_counts(const std::vector<Option>& options);
// Whether a constructor takes one list, for which a number may stand.
bool takes_one_list(const std::vector<Option>& options, const std::vector<std::size_t>& counts);
std::string options_class(const std::string& class_name, const std::vector<Option>& options,
                          const std::vector<std::size_t>& counts);

void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace loupe::torch_api
