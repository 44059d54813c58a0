// SPDX-License-Identifier: Apache-2.0
#include "core/formats/pickle/debug_records.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/pickle_reader.h"
#include "core/formats/pickle/pickle_writer.h"

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
    std::vector<TaggedPlace> parse(const PickleNode& root) {
        const auto& top = root.elements();
        const bool has_table =
            top.size() == 3 && top[0]->is(PickleKind::String) && top[0]->to_string() == kStringTableFormat;
        if (has_table) table_ = &top[1]->elements();
        std::vector<TaggedPlace> records;
        for (const PickleRef record : has_table ? top[2]->elements() : top) {
            // offset, range, and a tag by which records of the lite interpreter name the range
            const auto& parts = record->elements();
            if (parts.size() < 2) throw_file_error("debug records: a record without a range");
            records.push_back(
                {{to_size(*parts[0]), parse_range(*parts[1])}, parts.size() > 2 ? parts[2]->to_int() : -1});
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

    // Null for the empty one, which means "unknown".
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

// Lines and file names once each, by number.
class StringTable {
  public:
    std::int64_t add(std::string_view text) {
        const auto [known, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::int64_t>(texts_.size()));
        if (is_new) texts_.emplace_back(text);
        return known->second;
    }
    IValue value() const { return make_ptr<TupleObject>(texts_); }

  private:
    std::unordered_map<std::string, std::int64_t> numbers_;
    std::vector<IValue> texts_;
};

IValue tuple_of(std::vector<IValue> elements) { return make_ptr<TupleObject>(std::move(elements)); }

IValue source_value(const ir::Source& source, StringTable& table) {
    std::vector<std::int64_t> lines;
    for (std::size_t i = 0; i < source.line_count(); ++i) {
        const bool has_end = i + 1 < source.line_count();
        lines.push_back(table.add(concat(source.line(i), has_end ? "\n" : "")));
    }
    return tuple_of({IValue(lines), IValue(table.add(source.file().value_or(""))),
                     IValue(static_cast<std::int64_t>(source.starting_line() + 1))});
}

IValue unknown_source(StringTable& table) {
    return tuple_of({IValue(std::vector<std::int64_t>()), IValue(table.add("")), IValue(std::int64_t{1})});
}

}  // namespace

PlaceTags::Key PlaceTags::key(const ir::SourceRange& range) {
    return range.source ? Key(range.source.get(), range.start, range.end) : Key(nullptr, 0, 0);
}

std::int64_t PlaceTags::tag(const ir::SourceRange& range) {
    const auto [known, is_new] = tags_.try_emplace(key(range), next_);
    if (is_new) {
        ++next_;
        kept_.push_back(range.source);
    }
    return known->second;
}

std::string write_debug_records(const std::vector<ir::GeneratedFrom>& places, PlaceTags& tags) {
    StringTable table;
    std::unordered_map<const ir::Source*, IValue> sources;
    std::vector<IValue> records;
    for (const ir::GeneratedFrom& place : places) {
        IValue& source = sources[place.range.source.get()];
        if (source.is_none())
            source = place.range.source ? source_value(*place.range.source, table) : unknown_source(table);
        const IValue range = tuple_of({source, IValue(static_cast<std::int64_t>(place.range.start)),
                                       IValue(static_cast<std::int64_t>(place.range.end))});
        records.push_back(
            tuple_of({IValue(static_cast<std::int64_t>(place.offset)), range, IValue(tags.tag(place.range))}));
    }
    PickleWriter pickle;
    pickle.value(tuple_of({IValue(kStringTableFormat), table.value(), tuple_of(std::move(records))}));
    return pickle.finish();
}

std::vector<TaggedPlace> parse_tagged_records(std::string_view pickle) {
    const Pickle parsed = read_pickle(pickle);
    return RecordParser().parse(*parsed.root());
}

std::vector<ir::GeneratedFrom> parse_debug_records(std::string_view pickle) {
    std::vector<ir::GeneratedFrom> places;
    for (TaggedPlace& each : parse_tagged_records(pickle)) places.push_back(std::move(each.place));
    return places;
}

}  // namespace loupe
