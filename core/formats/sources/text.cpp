// SPDX-License-Identifier: Apache-2.0
// Text for language models: blocks of token ids (characters or words), and the same blocks shifted by one.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <unordered_map>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/sources/file_bytes.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTokens = std::size_t{1} << 31;

// Bytes of the UTF-8 character that begins here; 0 when it is none.
std::size_t character_size(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t size = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
    if (size == 0 || size > text.size()) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
    }
    return size;
}

std::vector<std::string_view> split_characters(std::string_view text) {
    std::vector<std::string_view> tokens;
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size();) {
        if (tokens.size() % 65536 == 0) check_cancelled();
        const std::size_t size = character_size(text.substr(at));
        if (size == 0) throw_file_error(concat("line ", line, ": byte ", at, " is not UTF-8"));
        if (text[at] == '\n') ++line;
        tokens.push_back(text.substr(at, size));
        at += size;
    }
    return tokens;
}

// Runs of letters and digits (all bytes of other alphabets are letters), and single other characters; line ends are
// kept.
std::vector<std::string_view> split_words(std::string_view text) {
    const auto is_word = [](char c) {
        return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
               c == '\'';
    };
    std::vector<std::string_view> tokens;
    for (std::size_t at = 0; at < text.size();) {
        if (tokens.size() % 65536 == 0) check_cancelled();
        std::size_t end = at + 1;
        if (is_word(text[at])) {
            while (end < text.size() && is_word(text[end])) ++end;
        }
        if (is_word(text[at]) || text[at] == '\n' || std::isspace(static_cast<unsigned char>(text[at])) == 0)
            tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

// The vocabulary; ids are by the order of the texts (characters), or by frequency (words).
struct Vocabulary {
    std::vector<std::string> texts;
    Tensor numbers;  // int64 [N]
};

Vocabulary count_tokens(const std::vector<std::string_view>& tokens, bool by_frequency) {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (const std::string_view token : tokens) ++counts[token];
    std::vector<std::pair<std::string_view, std::int64_t>> sorted(counts.begin(), counts.end());
    std::ranges::sort(sorted, [&](const auto& a, const auto& b) {
        if (by_frequency && a.second != b.second) return a.second > b.second;
        return a.first < b.first;
    });
    Vocabulary vocabulary;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        vocabulary.texts.emplace_back(sorted[i].first);
        counts[sorted[i].first] = static_cast<std::int64_t>(i);
    }
    const std::array<std::int64_t, 1> sizes{static_cast<std::int64_t>(tokens.size())};
    vocabulary.numbers = empty(sizes, ScalarType::Int64);
    std::ranges::transform(tokens, vocabulary.numbers.data<std::int64_t>(),
                           [&](std::string_view token) { return counts.find(token)->second; });
    return vocabulary;
}

class TextDataset final : public Dataset {
  public:
    TextDataset(Tensor numbers, std::int64_t block, std::int64_t step)
        : numbers_(std::move(numbers)), block_(block), step_(step) {}
    std::int64_t size() const override { return (numbers_.size(0) - block_ - 1) / step_ + 1; }
    IValue get(std::int64_t index) const override {
        return make_ptr<TupleObject>(std::vector<IValue>{part(index * step_), part(index * step_ + 1)});
    }
    std::string place_of(std::int64_t index) const override { return concat("from token ", index * step_); }

  private:
    IValue part(std::int64_t begin) const {
        const std::array<std::int64_t, 1> sizes{block_};
        const std::array<std::int64_t, 1> strides{1};
        return numbers_.view_as_strided(sizes, strides, begin);
    }

    Tensor numbers_;
    std::int64_t block_;
    std::int64_t step_;
};

constexpr std::array<SourceOption, 3> kOptions{{
    {"tokens", "chars|words", "chars", "what a token is"},
    {"block", "a number of tokens", "64", "length of a sample; the target is the same, one token further"},
    {"step", "a number of tokens", "1", "from the beginning of a sample to that of the next"},
}};

bool accepts(const fs::path& path) {
    std::error_code ignored;
    return path.extension() == ".txt" && fs::is_regular_file(path, ignored);
}

Source open(const fs::path& path, const SourceOptions& options) {
    const FileBytes file(path);
    if (file.is_truncated()) throw_file_error("truncated gzip stream");
    const std::string_view text = as_text(file.bytes());
    if (text.size() > kMostTokens) throw_file_error("a text of more than 2 GiB");
    const bool is_words = options.choice("tokens") == "words";
    const std::int64_t block = options.integer("block", 1);
    const std::int64_t step = options.integer("step", 1);
    Vocabulary vocabulary = count_tokens(is_words ? split_words(text) : split_characters(text), is_words);
    const std::int64_t count = vocabulary.numbers.size(0);
    if (count <= block) {
        throw_file_error(
            concat("a text of ", count, " tokens is too short for a block of ", block, " and the one after it"));
    }
    Source source;
    source.dataset = make_ptr<TextDataset>(vocabulary.numbers, block, step);
    source.description = concat(count, is_words ? " words" : " characters", ", ", vocabulary.texts.size(),
                                " different, blocks of ", block);
    source.classes = std::move(vocabulary.texts);
    return source;
}

const SourceRecord kRecords[] = {
    {"text", "a text in tokens: characters or words", kOptions, accepts, open},
};

}  // namespace

std::span<const SourceRecord> text_sources() { return kRecords; }

}  // namespace loupe::data
