// SPDX-License-Identifier: Apache-2.0
#include "core/io/debug_records.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/strings.h"
#include "core/io/byte_reader.h"
#include "core/io/pickle_reader.h"

namespace loupe {
namespace {

constexpr std::string_view kStringTableFormat = "FORMAT_WITH_STRING_TABLE";
// A table lets few bytes name much text.
constexpr std::size_t kMostText = std::size_t{1} << 26;

std::size_t to_size(const PickleNode& node) {
    const std::int64_t value = node.to_int();
    if (value < 0) throw_file_error(concat("debug records: position ", value));
    return static_cast<std::size_t>(value);
}

class RecordParser {
  public:
    std::vector<ir::GeneratedFrom> parse(const PickleNode& root) {
        const auto& top = root.elements();
        const bool has_table =
            top.size() == 3 && top[0]->is(PickleKind::String) && top[0]->to_string() == kStringTableFormat;
        if (has_table) table_ = &top[1]->elements();
        std::vector<ir::GeneratedFrom> records;
        for (const PickleRef record : has_table ? top[2]->elements() : top) {
            // offset, range, and a tag that only PyTorch itself uses
            const auto& parts = record->elements();
            if (parts.size() < 2) throw_file_error("debug records: a record without a range");
            records.push_back({to_size(*parts[0]), parse_range(*parts[1])});
        }
        return records;
    }

  private:
    ir::SourceRange parse_range(const PickleNode& node) {
        const auto& parts = node.tuple(3);
        auto source = parse_source(parts[0]);
        if (!source) return {};
        const std::size_t size = source->text().size();
        const std::size_t start = std::min(to_size(*parts[1]), size);
        return {std::move(source), start, std::clamp(to_size(*parts[2]), start, size)};
    }

    // Null for the empty one, which stands for "unknown".
    std::shared_ptr<const ir::Source> parse_source(PickleRef node) {
        const auto [known, is_new] = sources_.try_emplace(node);
        if (!is_new) return known->second;
        const auto& parts = node->tuple(3);
        std::string text = table_ != nullptr ? joined_lines(*parts[0]) : parts[0]->to_string();
        used_text_ += text.size();
        if (used_text_ > kMostText) throw_file_error("debug records: too much text");
        if (text.empty()) return nullptr;
        std::string file = file_name(*parts[1]);
        const std::size_t first_line = std::max<std::size_t>(to_size(*parts[2]), 1);  // counted from 1
        auto source = std::make_shared<const ir::Source>(
            std::move(text), file.empty() ? std::nullopt : std::optional(std::move(file)), first_line - 1);
        sources_[node] = source;
        return source;
    }

    std::string file_name(const PickleNode& node) {
        if (node.is_none()) return {};
        return table_ != nullptr ? line_at(node) : node.to_string();
    }

    const std::string& line_at(const PickleNode& index) const {
        const std::size_t i = to_size(index);
        if (i >= table_->size()) throw_file_error(concat("debug records: line ", i, " of ", table_->size()));
        return (*table_)[i]->to_string();
    }

    // Indices as torch.jit._pickle.build_intlist([...]), or a plain list.
    std::string joined_lines(const PickleNode& node) const {
        const PickleNode& list = node.is(PickleKind::Reduce) ? *node.call().args->tuple(1)[0] : node;
        std::string text;
        for (const PickleRef index : list.elements()) {
            text += line_at(*index);
            if (text.size() > kMostText) throw_file_error("debug records: too much text");
        }
        return text;
    }

    const PickleNode::Elements* table_ = nullptr;
    std::unordered_map<PickleRef, std::shared_ptr<const ir::Source>> sources_;
    std::size_t used_text_ = 0;
};

}  // namespace

std::vector<ir::GeneratedFrom> parse_debug_records(std::string_view pickle) {
    const Pickle parsed = read_pickle(pickle);
    return RecordParser().parse(*parsed.root());
}

}  // namespace loupe
