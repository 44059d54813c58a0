// SPDX-License-Identifier: Apache-2.0
#pragma once
// The record of a kind of data source, and its options as values.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dataset.h"

namespace loupe::data {

struct SourceOption {
    std::string_view name;          // "resize"
    std::string_view form;          // the syntax: "HxW or one edge", "train|test", "true|false"
    std::string_view default_text;  // empty: not set
    std::string_view what;          // one line
};

struct Source {
    DatasetPtr dataset;
    std::vector<std::string> classes = {};  // names of target values from 0 on; empty: targets are no classes
    std::string description = {};           // "60000 images of 1x28x28, 10 classes"
    std::vector<std::string> notes = {};    // warnings for the user: records that are missing at the end
};

class SourceOptions;

struct SourceRecord {
    std::string_view name;  // "mnist"
    std::string_view what;  // one line
    std::span<const SourceOption> options;
    // Does the path look like one? Must not throw.
    bool (*accepts)(const std::filesystem::path& path);
    Source (*open)(const std::filesystem::path& path, const SourceOptions& options);
};

// Options as values. Each throws Error (Usage) that names the option and its syntax.
class SourceOptions {
  public:
    // Throws Error (Usage) for names that the source does not have.
    SourceOptions(const SourceRecord& record, const std::map<std::string, std::string>& given);

    // As given, or the default; empty when it is not set.
    const std::string& text(std::string_view name) const;
    bool is_set(std::string_view name) const { return !text(name).empty(); }
    std::int64_t integer(std::string_view name, std::int64_t least = 0) const;
    double number(std::string_view name) const;
    bool flag(std::string_view name) const;
    // "0.5,0.25": numbers with commas between.
    std::vector<double> numbers(std::string_view name) const;
    // Texts with commas between.
    std::vector<std::string> texts(std::string_view name) const;
    // One of the alternatives in the option's form.
    std::string_view choice(std::string_view name) const;

  private:
    const SourceOption& option(std::string_view name) const;
    [[noreturn]] void refuse(std::string_view name) const;

    const SourceRecord& record_;
    std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace loupe::data
