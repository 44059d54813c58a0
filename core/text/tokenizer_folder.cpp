// SPDX-License-Identifier: Apache-2.0
#include "core/text/tokenizer_folder.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/ordered_json.h"
#include "core/base/strings.h"
#include "core/text/settings.h"

namespace loupe::text {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargest = 1'000'000'000;

bool is_file(const fs::path& file) {
    std::error_code failed;
    return fs::is_regular_file(file, failed);
}

std::string read(const fs::path& file) {
    std::error_code failed;
    if (fs::file_size(file, failed) > kLargest) refuse("more than 1 GB are no tokenizer");
    return read_text_file(file.string());
}

OrderedJson read_object(const fs::path& file) {
    if (!is_file(file)) return OrderedJson::object();
    OrderedJson json = OrderedJson::parse(read(file), nullptr, false);
    if (!json.is_object()) refuse(concat(file.filename().string(), " is no JSON object"));
    return json;
}

bool flag(const OrderedJson& settings, const char* name, bool otherwise) {
    return settings.contains(name) && settings[name].is_boolean() ? settings[name].get<bool>() : otherwise;
}

// A text, or an object with its content.
std::string token_named(const OrderedJson& settings, const char* name, std::string otherwise = {}) {
    if (!settings.contains(name)) return otherwise;
    const OrderedJson& found = settings[name];
    if (found.is_string()) return found.get<std::string>();
    if (found.is_object() && found.contains("content") && found["content"].is_string())
        return found["content"].get<std::string>();
    return otherwise;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    for (std::string_view line : split(text, '\n')) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        out.emplace_back(line);
    }
    if (!out.empty() && out.back().empty()) out.pop_back();
    return out;
}

OrderedJson added(const std::string& content, std::size_t id) {
    return {{"id", id}, {"content", content}, {"special", true}, {"normalized", false}};
}

// The special tokens that the vocabulary has, by their roles.
OrderedJson special_tokens(const OrderedJson& vocabulary, const OrderedJson& config) {
    OrderedJson out = OrderedJson::array();
    std::set<std::string> seen;
    for (const char* role :
         {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}) {
        const std::string token = token_named(config, role);
        if (!vocabulary.contains(token) || !vocabulary[token].is_number_unsigned() || !seen.insert(token).second)
            continue;
        out.push_back(added(token, vocabulary[token].get<std::size_t>()));
    }
    return out;
}

std::size_t id_in(const OrderedJson& vocabulary, const std::string& token) {
    if (!vocabulary.contains(token) || !vocabulary[token].is_number_unsigned())
        refuse(concat("the vocabulary has no token ", python_repr(std::string_view(token))));
    return vocabulary[token].get<std::size_t>();
}

// GPT-2's and RoBERTa's: the second puts tokens around the text.
OrderedJson byte_pairs(const fs::path& folder, OrderedJson config) {
    const OrderedJson vocabulary = read_object(folder / "vocab.json");
    OrderedJson merges = OrderedJson::array();
    for (const std::string& line : lines_of(read(folder / "merges.txt")))
        if (!line.starts_with("#version") && !line.empty()) merges.push_back(line);
    const bool adds_space = flag(config, "add_prefix_space", false);
    const std::string kind = token_named(config, "tokenizer_class");
    const bool surrounds = kind.starts_with("Roberta") || kind.starts_with("Bart") ||
                           (kind.empty() && vocabulary.contains("<s>") && vocabulary.contains("</s>"));
    OrderedJson out;
    out["model"] = {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", std::move(merges)}};
    out["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", adds_space}};
    out["decoder"] = {{"type", "ByteLevel"}};
    if (surrounds) {
        const std::string first = token_named(config, "cls_token", "<s>"),
                          last = token_named(config, "sep_token", "</s>");
        for (const auto& [role, token] : {std::pair("cls_token", first), std::pair("sep_token", last)})
            config[role] = token;
        out["post_processor"] = {{"type", "RobertaProcessing"},
                                 {"cls", OrderedJson::array({first, id_in(vocabulary, first)})},
                                 {"sep", OrderedJson::array({last, id_in(vocabulary, last)})},
                                 {"add_prefix_space", adds_space}};
    } else if (!config.contains("eos_token")) {
        config["eos_token"] = "<|endoftext|>";
    }
    out["added_tokens"] = special_tokens(vocabulary, config);
    return out;
}

OrderedJson word_pieces(const fs::path& folder, OrderedJson config) {
    OrderedJson vocabulary = OrderedJson::object();
    std::size_t id = 0;
    for (const std::string& line : lines_of(read(folder / "vocab.txt"))) vocabulary[line] = id++;
    for (const auto& [role, token] :
         {std::pair("unk_token", "[UNK]"), std::pair("cls_token", "[CLS]"), std::pair("sep_token", "[SEP]"),
          std::pair("pad_token", "[PAD]"), std::pair("mask_token", "[MASK]")})
        if (token_named(config, role).empty()) config[role] = token;
    const std::string first = token_named(config, "cls_token"), last = token_named(config, "sep_token");
    OrderedJson out;
    out["model"] = {{"type", "WordPiece"}, {"vocab", vocabulary}, {"unk_token", token_named(config, "unk_token")}};
    out["normalizer"] = {{"type", "BertNormalizer"},
                         {"lowercase", flag(config, "do_lower_case", true)},
                         {"handle_chinese_chars", flag(config, "tokenize_chinese_chars", true)}};
    if (config.contains("strip_accents")) out["normalizer"]["strip_accents"] = config["strip_accents"];
    out["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
    out["post_processor"] = {{"type", "BertProcessing"},
                             {"cls", OrderedJson::array({first, id_in(vocabulary, first)})},
                             {"sep", OrderedJson::array({last, id_in(vocabulary, last)})}};
    out["decoder"] = {{"type", "WordPiece"}};
    out["added_tokens"] = special_tokens(vocabulary, config);
    return out;
}

std::shared_ptr<const Tokenizer> open(const fs::path& folder, const fs::path& file) {
    if (file.filename() == "tokenizer.json") return Tokenizer::parse(read(file));
    const OrderedJson config = read_object(folder / "tokenizer_config.json");
    const OrderedJson settings =
        file.filename() == "vocab.txt" ? word_pieces(folder, config) : byte_pairs(folder, config);
    return Tokenizer::parse(settings.dump());
}

}  // namespace

std::shared_ptr<const Tokenizer> open_tokenizer(const fs::path& folder) {
    for (const char* name : {"tokenizer.json", "vocab.json", "vocab.txt"}) {
        const fs::path file = folder / name;
        if (!is_file(file) || (file.filename() == "vocab.json" && !is_file(folder / "merges.txt"))) continue;
        try {
            return open(folder, file);
        } catch (Error& error) {
            error.add_context({.file = file.string()});
            throw;
        } catch (const OrderedJson::exception& error) {
            throw Error(ErrorKind::File, error.what(), {.file = file.string()});
        }
    }
    return nullptr;
}

}  // namespace loupe::text
