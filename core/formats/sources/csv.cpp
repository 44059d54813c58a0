// SPDX-License-Identifier: Apache-2.0
// Tables: chosen columns as numbers, one column as target. Types of columns are inferred from the first records.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/cancel.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/sources/csv_table.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kProbed = 100;
constexpr std::size_t kMostClasses = 1'000'000;

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

template <typename T>
std::optional<T> parse(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_missing(std::string_view text) {
    static constexpr std::array<std::string_view, 9> kNone{"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"};
    return std::ranges::find(kNone, trimmed(text)) != kNone.end();
}

enum class ColumnKind { Whole, Real, Text };

struct Column {
    std::size_t index = 0;
    std::string name;
    ColumnKind kind = ColumnKind::Whole;
    std::vector<std::string> texts;  // of a text column, sorted: its values are their numbers
};

enum class Missing { Refuse, AsNan, AsZero };

class CsvDataset final : public Dataset {
  public:
    CsvDataset(Ptr<CsvTable> table, std::int64_t first, std::size_t width, std::vector<Column> inputs,
               std::optional<Column> target, Missing missing)
        : table_(std::move(table)),
          first_(first),
          width_(width),
          inputs_(std::move(inputs)),
          target_(std::move(target)),
          missing_(missing) {}
    std::int64_t size() const override { return table_->size() - first_; }
    std::string place_of(std::int64_t index) const override { return table_->place(first_ + index); }

    IValue get(std::int64_t index) const override {
        const CsvRecord record = table_->record(first_ + index);
        if (record.fields.size() != width_) {
            table_->fail(record.line, concat("expected ", width_, " fields, got ", record.fields.size()));
        }
        const std::array<std::int64_t, 1> sizes{static_cast<std::int64_t>(inputs_.size())};
        const Tensor input = empty(sizes, ScalarType::Float32);
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            input.data<float>()[i] = static_cast<float>(number(record, inputs_[i]));
        std::vector<IValue> sample{IValue(input)};
        if (target_) sample.push_back(target_value(record));
        return make_ptr<TupleObject>(std::move(sample));
    }

  private:
    [[noreturn]] void refuse(const CsvRecord& record, const Column& column, const char* what) const {
        table_->fail(record.line,
                     concat("column ", python_repr(std::string_view(column.name)), ": ",
                            python_repr(std::string_view(record.fields[column.index]).substr(0, 100)), what));
    }
    double number(const CsvRecord& record, const Column& column) const {
        const std::string& field = record.fields[column.index];
        if (is_missing(field)) {
            if (missing_ == Missing::Refuse)
                refuse(record, column, " where a value is needed; the option missing says what to do");
            return missing_ == Missing::AsNan ? std::numeric_limits<double>::quiet_NaN() : 0;
        }
        if (column.kind == ColumnKind::Text) {
            const auto found = std::ranges::lower_bound(column.texts, trimmed(field));
            return static_cast<double>(found - column.texts.begin());
        }
        const auto value = parse<double>(field);
        if (!value) refuse(record, column, " is no number");
        return *value;
    }
    // Classes and whole numbers are int64, for losses over classes.
    IValue target_value(const CsvRecord& record) const {
        const Column& column = *target_;
        const double value = number(record, column);
        if (column.kind == ColumnKind::Real) return IValue(scalar_tensor(Scalar(value), ScalarType::Float32));
        if (std::isnan(value)) refuse(record, column, " where a class is needed");
        if (column.kind == ColumnKind::Text) return static_cast<std::int64_t>(value);
        if (is_missing(record.fields[column.index])) return std::int64_t{0};
        const auto whole = parse<std::int64_t>(record.fields[column.index]);
        if (!whole) refuse(record, column, " is no whole number");
        return *whole;
    }

    Ptr<CsvTable> table_;
    std::int64_t first_;  // after the header
    std::size_t width_;
    std::vector<Column> inputs_;
    std::optional<Column> target_;
    Missing missing_;
};

// The type of the column's first values; text when one is no number.
ColumnKind probe(const CsvTable& table, std::int64_t first, std::size_t index) {
    ColumnKind kind = ColumnKind::Whole;
    for (std::int64_t i = first; i < std::min(table.size(), first + kProbed); ++i) {
        std::vector<std::string> fields;
        try {
            fields = table.record(i).fields;
        } catch (const Error&) {
            continue;  // it fails when it is read
        }
        if (index >= fields.size() || is_missing(fields[index])) continue;
        if (!parse<double>(fields[index])) return ColumnKind::Text;
        if (!parse<std::int64_t>(fields[index])) kind = ColumnKind::Real;
    }
    return kind;
}

void collect_texts(const CsvTable& table, std::int64_t first, Column& column) {
    std::set<std::string, std::less<>> texts;
    for (std::int64_t i = first; i < table.size(); ++i) {
        check_cancelled();
        try {
            const CsvRecord record = table.record(i);
            if (column.index < record.fields.size() && !is_missing(record.fields[column.index])) {
                texts.emplace(trimmed(record.fields[column.index]));
            }
        } catch (const Error&) {
            continue;
        }
        if (texts.size() > kMostClasses)
            throw Error(ErrorKind::File,
                        concat("column ", column.name, " has more than ", kMostClasses, " different texts"));
    }
    column.texts.assign(texts.begin(), texts.end());
}

// A header has no number in it.
bool looks_like_header(const CsvTable& table) {
    const auto has_number = [](const std::vector<std::string>& fields) {
        return std::ranges::any_of(fields, [](const std::string& field) { return parse<double>(field).has_value(); });
    };
    return table.size() > 1 && !has_number(table.record(0).fields);
}

class Columns {
  public:
    Columns(const CsvTable& table, bool has_header) : table_(table), first_(has_header ? 1 : 0) {
        names_ = table.record(0).fields;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            names_[i] = has_header ? std::string(trimmed(names_[i])) : std::to_string(i);
        }
    }
    std::size_t width() const { return names_.size(); }

    // A name, or a number from 0, from the end when negative.
    std::size_t find(const std::string& text) const {
        const auto named = std::ranges::find(names_, text);
        if (named != names_.end()) return static_cast<std::size_t>(named - names_.begin());
        const auto width = static_cast<std::int64_t>(names_.size());
        if (const auto number = parse<std::int64_t>(text); number && *number >= -width && *number < width) {
            return static_cast<std::size_t>(*number < 0 ? *number + width : *number);
        }
        throw Error(ErrorKind::Usage, concat("no column '", text, "'; there are ", join(names_, ", ").substr(0, 1000)),
                    {.file = table_.path().string()});
    }
    Column make(std::size_t index) const {
        Column column{index, names_[index], probe(table_, first_, index), {}};
        if (column.kind == ColumnKind::Text) collect_texts(table_, first_, column);
        return column;
    }

  private:
    const CsvTable& table_;
    std::int64_t first_;
    std::vector<std::string> names_;
};

constexpr std::array<SourceOption, 5> kOptions{{
    {"inputs", "names or numbers of columns, with commas between", "", "default all but the target"},
    {"target", "the name or number of a column, or none", "-1",
     "texts become classes; whole numbers int64, others float32"},
    {"header", "auto|yes|no", "auto", "does the first record name the columns?"},
    {"delimiter", "one character, or tab", "", "default the most frequent of , ; tab | in the first line"},
    {"missing", "error|nan|zero", "error", "empty fields, NA, NaN, null, ?"},
}};

bool accepts(const fs::path& path) {
    std::error_code ignored;
    fs::path name = path.extension() == ".gz" ? path.stem() : path.filename();
    return (name.extension() == ".csv" || name.extension() == ".tsv") && fs::is_regular_file(path, ignored);
}

char delimiter_option(const SourceOptions& options) {
    const std::string& text = options.text("delimiter");
    if (text == "tab" || text == "\\t") return '\t';
    if (text.size() > 1 || text == "\"" || text == "\n")
        throw Error(ErrorKind::Usage, "option delimiter takes one character, or tab");
    return text.empty() ? '\0' : text.front();
}

Missing missing_option(const SourceOptions& options) {
    const std::string_view choice = options.choice("missing");
    if (choice == "nan") return Missing::AsNan;
    return choice == "zero" ? Missing::AsZero : Missing::Refuse;
}

Source open(const fs::path& path, const SourceOptions& options) {
    const auto table = make_ptr<CsvTable>(path, delimiter_option(options));
    const std::string_view header = options.choice("header");
    const bool has_header = header == "yes" || (header == "auto" && looks_like_header(*table));
    const std::int64_t first = has_header ? 1 : 0;
    const Columns columns(*table, has_header);
    Source source;
    std::optional<Column> target;
    const std::string& target_name = options.text("target");
    const bool has_target =
        target_name != "none" && !target_name.empty() && (columns.width() > 1 || target_name != "-1");
    if (has_target) {
        target = columns.make(columns.find(target_name));
        source.classes = target->texts;
    }
    std::vector<Column> inputs;
    for (const std::string& name : options.texts("inputs")) inputs.push_back(columns.make(columns.find(name)));
    for (std::size_t i = 0; i < columns.width() && !options.is_set("inputs"); ++i) {
        if (!target || i != target->index) inputs.push_back(columns.make(i));
    }
    source.description = concat(table->size() - first, " records of ", inputs.size(), " numbers");
    for (const Column& column : inputs) {
        if (column.kind != ColumnKind::Text) continue;
        source.notes.push_back(concat(
            "column ", column.name, " holds texts, which count from 0 in their order: ",
            join(std::vector<std::string>(column.texts.begin(),
                                          column.texts.begin() + std::min<std::ptrdiff_t>(5, std::ssize(column.texts))),
                 ", "),
            column.texts.size() > 5 ? ", ..." : ""));
    }
    if (target) source.description += concat(", target ", python_repr(std::string_view(target->name)));
    if (!source.classes.empty()) source.description += concat(", ", counted(source.classes.size(), "class", "classes"));
    source.dataset = make_ptr<CsvDataset>(table, first, columns.width(), std::move(inputs), std::move(target),
                                          missing_option(options));
    return source;
}

const SourceRecord kRecords[] = {
    {"csv", "a table of comma-separated text, .gz or not", kOptions, accepts, open},
};

}  // namespace

std::span<const SourceRecord> csv_sources() { return kRecords; }

}  // namespace loupe::data
