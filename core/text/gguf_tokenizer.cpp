// SPDX-License-Identifier: Apache-2.0
// The metadata as a tokenizer.json, which the tokenizer of folders is made of.
#include "core/text/gguf_tokenizer.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/text/byte_alphabet.h"
#include "core/text/gguf_splits.h"
#include "core/text/settings.h"
#include "core/text/unicode.h"

namespace loupe::text {
namespace {

constexpr const char* kSpace = "\u2581";  // sentencepiece's

// tokenizer.ggml.token_type, as llama.cpp numbers it.
enum class Kind : std::int64_t { Undefined, Normal, Unknown, Control, UserDefined, Unused, Byte };

std::string key_of(std::string_view name) { return concat("tokenizer.ggml.", name); }

class Metadata {
  public:
    explicit Metadata(const OrderedJson& all) : all_(all) {
        for (const OrderedJson& token : list("tokens")) {
            if (!token.is_string()) refuse("tokenizer.ggml.tokens are no texts");
            tokens_.push_back(token.get<std::string>());
        }
        if (tokens_.empty()) refuse("tokenizer.ggml.tokens has no tokens");
        if (tokens_.size() > static_cast<std::size_t>(std::numeric_limits<TokenId>::max()))
            refuse("tokenizer.ggml.tokens has too many tokens");
        kinds_.assign(tokens_.size(), Kind::Normal);
        const OrderedJson& kinds = list("token_type");
        for (std::size_t i = 0; i < std::min(kinds.size(), kinds_.size()); ++i)
            if (kinds[i].is_number_integer()) kinds_[i] = static_cast<Kind>(kinds[i].get<std::int64_t>());
    }

    const std::vector<std::string>& tokens() const { return tokens_; }
    Kind kind(std::size_t id) const { return kinds_[id]; }

    // An empty one where it is missing.
    const OrderedJson& list(std::string_view name) const {
        static const OrderedJson none = OrderedJson::array();
        const OrderedJson* found = value(name);
        return found != nullptr && found->is_array() ? *found : none;
    }
    std::string text(std::string_view name) const {
        const OrderedJson* found = value(name);
        return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
    }
    bool flag(std::string_view name, bool otherwise) const {
        const OrderedJson* found = value(name);
        return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
    }
    // Of a token that the vocabulary has; else the other one, where the vocabulary has that.
    std::optional<std::size_t> id(std::string_view name, std::optional<std::size_t> otherwise = {}) const {
        const OrderedJson* found = value(name);
        if (found != nullptr && found->is_number_unsigned()) {
            const auto given = found->get<std::size_t>();
            if (given < tokens_.size()) return given;
        }
        return otherwise && *otherwise < tokens_.size() ? otherwise : std::nullopt;
    }
    std::string architecture() const {
        return all_.contains("general.architecture") && all_["general.architecture"].is_string()
                   ? all_["general.architecture"].get<std::string>()
                   : std::string();
    }

  private:
    const OrderedJson* value(std::string_view name) const {
        const std::string key = key_of(name);
        return all_.contains(key) ? &all_[key] : nullptr;
    }

    const OrderedJson& all_;
    std::vector<std::string> tokens_;
    std::vector<Kind> kinds_;
};

// Tokens that are found in the text as they are: control tokens, which decoding leaves out, and those of the user.
OrderedJson added_tokens(const Metadata& given) {
    OrderedJson out = OrderedJson::array();
    for (std::size_t id = 0; id < given.tokens().size(); ++id) {
        const bool is_control = given.kind(id) == Kind::Control || given.kind(id) == Kind::Unknown;
        if (!is_control && given.kind(id) != Kind::UserDefined) continue;
        out.push_back({{"id", id}, {"content", given.tokens()[id]}, {"special", is_control}, {"normalized", false}});
    }
    return out;
}

// The text between these, where they are wanted and there.
OrderedJson surrounded(const Metadata& given, std::optional<std::size_t> first, std::optional<std::size_t> last) {
    OrderedJson single = OrderedJson::array(), specials = OrderedJson::object();
    const auto add = [&](std::optional<std::size_t> id) {
        if (!id) return;
        const std::string& token = given.tokens()[*id];
        single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
        specials[token] = {{"id", token}, {"ids", OrderedJson::array({*id})}, {"tokens", OrderedJson::array({token})}};
    };
    add(first);
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    add(last);
    return {{"type", "TemplateProcessing"}, {"single", std::move(single)}, {"special_tokens", std::move(specials)}};
}

OrderedJson ends_of(const Metadata& given, bool begins, bool ends, std::optional<std::size_t> bos,
                    std::optional<std::size_t> eos) {
    begins = given.flag("add_bos_token", begins);
    ends = given.flag("add_eos_token", ends);
    return surrounded(given, begins ? given.id("bos_token_id", bos) : std::nullopt,
                      ends ? given.id("eos_token_id", eos) : std::nullopt);
}

OrderedJson sequence(const char* name, OrderedJson parts) { return {{"type", "Sequence"}, {name, std::move(parts)}}; }

OrderedJson replacing(const char* what, const char* by) {
    return {{"type", "Replace"}, {"pattern", {{"String", what}}}, {"content", by}};
}

// What sentencepiece does with spaces.
OrderedJson space_normalizers(const Metadata& given, bool prepends) {
    OrderedJson out = OrderedJson::array();
    if (given.flag("remove_extra_whitespaces", false)) {
        out.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
        out.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
    }
    if (prepends) out.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
    out.push_back(replacing(" ", kSpace));
    return out;
}

OrderedJson space_decoders(bool prepends) {
    OrderedJson out = OrderedJson::array();
    out.push_back(replacing(kSpace, " "));
    out.push_back({{"type", "ByteFallback"}});
    out.push_back({{"type", "Fuse"}});
    if (prepends) out.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    return out;
}

bool is_merged(Kind kind) {
    return kind != Kind::Control && kind != Kind::Unknown && kind != Kind::Byte && kind != Kind::UserDefined;
}

// Gemma's scores do not order its merges, their places do; and so where all have one score.
OrderedJson merge_scores(const Metadata& given) {
    const OrderedJson& scores = given.list("scores");
    std::set<double> seen;
    for (std::size_t id = 0; id < given.tokens().size() && seen.size() < 2; ++id)
        if (id < scores.size() && scores[id].is_number() && is_merged(given.kind(id)))
            seen.insert(scores[id].get<double>());
    const bool by_place = seen.size() < 2 || given.architecture().starts_with("gemma");
    OrderedJson out = OrderedJson::array();
    for (std::size_t id = 0; id < given.tokens().size(); ++id) {
        if (!is_merged(given.kind(id)) || (!by_place && (id >= scores.size() || !scores[id].is_number())))
            out.push_back(nullptr);
        else
            out.push_back(by_place ? -static_cast<double>(id) : scores[id].get<double>());
    }
    return out;
}

OrderedJson sentence_pieces(const Metadata& given) {
    const bool prepends = given.flag("add_space_prefix", true);
    OrderedJson model{{"type", "BPE"}, {"vocab", given.tokens()}, {"byte_fallback", true}, {"fuse_unk", true}};
    if (const auto unknown = given.id("unknown_token_id", 0)) model["unk_token"] = given.tokens()[*unknown];
    if (!given.list("merges").empty())
        model["merges"] = given.list("merges");
    else
        model["scores"] = merge_scores(given);
    OrderedJson out;
    out["model"] = std::move(model);
    out["normalizer"] = sequence("normalizers", space_normalizers(given, prepends));
    out["decoder"] = sequence("decoders", space_decoders(prepends));
    out["post_processor"] = ends_of(given, true, false, 1, 2);
    return out;
}

OrderedJson byte_pairs(const Metadata& given) {
    GgufSplit split = gguf_split(given.text("pre"));
    OrderedJson out;
    out["model"] = {{"type", "BPE"},
                    {"vocab", given.tokens()},
                    {"merges", given.list("merges")},
                    {"ignore_merges", split.ignores_merges}};
    out["pre_tokenizer"] = std::move(split.pre_tokenizer);
    out["decoder"] = {{"type", "ByteLevel"}};
    if (split.surrounds && given.flag("add_sep_token", true))
        out["post_processor"] =
            surrounded(given, given.id("bos_token_id"), given.id("seperator_token_id", given.id("eos_token_id")));
    else
        out["post_processor"] = ends_of(given, split.begins_with_bos, false, {}, {});
    return out;
}

// llama.cpp marks the tokens that begin a word, BERT's files those that do not.
OrderedJson word_pieces(const Metadata& given) {
    OrderedJson vocabulary = OrderedJson::array();
    for (std::size_t id = 0; id < given.tokens().size(); ++id) {
        const std::string& token = given.tokens()[id];
        const bool is_whole =
            given.kind(id) == Kind::Control || given.kind(id) == Kind::UserDefined || given.kind(id) == Kind::Unknown;
        if (token.starts_with(kSpace))
            vocabulary.push_back(token.substr(std::string_view(kSpace).size()));
        else
            vocabulary.push_back(is_whole ? token : concat("##", token));
    }
    const auto unknown = given.id("unknown_token_id", 100);
    OrderedJson out;
    out["model"] = {{"type", "WordPiece"}, {"vocab", std::move(vocabulary)}};
    if (unknown) out["model"]["unk_token"] = given.tokens()[*unknown];
    const bool lowers = given.flag("normalizer.lowercase", true);
    out["normalizer"] = {{"type", "BertNormalizer"},
                         {"lowercase", lowers},
                         {"strip_accents", given.flag("normalizer.strip_accents", lowers)}};
    out["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
    out["decoder"] = {{"type", "WordPiece"}};
    const auto first = given.id("cls_token_id", given.id("bos_token_id", 101));
    const auto last = given.id("seperator_token_id", 102);
    out["post_processor"] = surrounded(given, given.flag("add_bos_token", true) ? first : std::nullopt,
                                       given.flag("add_sep_token", true) ? last : std::nullopt);
    return out;
}

std::string base64(const OrderedJson& bytes) {
    static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t j = 0; j < 3; ++j) {
            const bool is_byte = j < count && bytes[i + j].is_number_integer();
            three = three << 8 | (is_byte ? static_cast<std::uint8_t>(bytes[i + j].get<std::int64_t>()) : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) out += j <= count ? kDigits[three >> (18 - 6 * j) & 63] : '=';
    }
    return out;
}

OrderedJson unigrams(const Metadata& given) {
    const OrderedJson& scores = given.list("scores");
    OrderedJson vocabulary = OrderedJson::array();
    for (std::size_t id = 0; id < given.tokens().size(); ++id) {
        const double score = id < scores.size() && scores[id].is_number() ? scores[id].get<double>() : 0;
        vocabulary.push_back(OrderedJson::array({given.tokens()[id], score}));
    }
    OrderedJson out;
    out["model"] = {{"type", "Unigram"}, {"vocab", std::move(vocabulary)}};
    if (const auto unknown = given.id("unknown_token_id", 2)) out["model"]["unk_id"] = *unknown;
    OrderedJson normalizers = OrderedJson::array();
    if (!given.list("precompiled_charsmap").empty())
        normalizers.push_back(
            {{"type", "Precompiled"}, {"precompiled_charsmap", base64(given.list("precompiled_charsmap"))}});
    if (given.flag("remove_extra_whitespaces", true)) {
        normalizers.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
        normalizers.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
    }
    out["normalizer"] = sequence("normalizers", std::move(normalizers));
    const bool prepends = given.flag("add_space_prefix", true);
    const OrderedJson spaces{
        {"type", "Metaspace"}, {"replacement", kSpace}, {"prepend_scheme", prepends ? "always" : "never"}};
    out["pre_tokenizer"] = spaces;
    out["decoder"] = spaces;
    out["post_processor"] = ends_of(given, false, true, {}, 1);
    return out;
}

// Control tokens that end a turn, by the names that models give them: files name one of them at most.
bool ends_turn(std::string_view token) {
    static constexpr std::string_view kNames[] = {"<|eot_id|>", "<|eom_id|>",    "<|im_end|>",
                                                  "<|end|>",    "<end_of_turn>", "<|end_of_text|>",
                                                  "<EOT>",      "_<EOT>",        "<|endoftext|>"};
    return std::ranges::count(kNames, token) > 0;
}

OrderedJson generation_of(const Metadata& given, const std::string& kind) {
    OrderedJson out = OrderedJson::object();
    const bool is_sentence = kind == "llama";
    const auto bos = given.id("bos_token_id", is_sentence ? std::optional<std::size_t>(1) : std::nullopt);
    OrderedJson ends = OrderedJson::array();
    for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
        const bool has_default = is_sentence && std::string_view(name) == "eos_token_id";
        const auto id = given.id(name, has_default ? std::optional<std::size_t>(2) : std::nullopt);
        if (id && !std::ranges::count(ends, OrderedJson(*id))) ends.push_back(*id);
    }
    for (std::size_t id = 0; id < given.tokens().size(); ++id)
        if (given.kind(id) == Kind::Control && ends_turn(given.tokens()[id]) &&
            !std::ranges::count(ends, OrderedJson(id)))
            ends.push_back(id);
    if (bos) out["bos_token_id"] = *bos;
    if (!ends.empty()) out["eos_token_id"] = std::move(ends);
    if (const auto pad = given.id("padding_token_id")) out["pad_token_id"] = *pad;
    return out;
}

}  // namespace

std::shared_ptr<const TextParts> gguf_text_parts(const OrderedJson& metadata) {
    const std::string key = key_of("model");
    if (!metadata.contains(key) || !metadata[key].is_string()) return nullptr;
    const std::string kind = metadata[key].get<std::string>();
    if (kind == "no_vocab" || kind == "none") return nullptr;
    const Metadata given(metadata);
    OrderedJson settings;
    if (kind == "llama")
        settings = sentence_pieces(given);
    else if (kind == "gpt2")
        settings = byte_pairs(given);
    else if (kind == "bert")
        settings = word_pieces(given);
    else if (kind == "t5")
        settings = unigrams(given);
    else
        throw Error(ErrorKind::Unsupported,
                    concat("its tokenizer is a ", python_repr(std::string_view(kind)), ", which is not known"));
    settings["added_tokens"] = added_tokens(given);
    auto out = std::make_shared<TextParts>();
    try {
        out->tokenizer = Tokenizer::parse(settings.dump());
    } catch (const OrderedJson::exception&) {
        refuse("its tokenizer has a token that is no UTF-8");
    }
    out->generation = generation_of(given, kind);
    return out;
}

}  // namespace loupe::text
