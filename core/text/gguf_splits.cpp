// SPDX-License-Identifier: Apache-2.0
#include "core/text/gguf_splits.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::text {
namespace {

using namespace std::string_view_literals;

// What follows the expressions: bytes as characters, or also GPT-2's own expression.
enum class Then { Bytes, GptWords };

constexpr std::array kLlama3{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kQwen2{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kQwen35{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kTekken{
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kGpt4o{
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kSeedCoder{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kBailing{
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"sv};
constexpr std::array kDeepseek3{
    R"(\p{N}{1,3})"sv, R"([一-龥぀-ゟ゠-ヿ]+)"sv,
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kDeepseekCoder{R"([\r\n])"sv, R"(\s?\p{L}+)"sv, R"(\s?\p{P}+)"sv, R"([一-龥ࠀ-一가-퟿]+)"sv,
                                    R"(\p{N})"sv};
// Letters that have a case, but for Georgian's younger ones and those of mathematics.
constexpr std::array kDeepseekLlm{R"([\r\n])"sv,
                                  R"(\s?(?:(?![\x{10C7}-\x{10FF}\x{1D400}-\x{1D7FF}])[\p{Lu}\p{Ll}\p{Lt}])+)"sv,
                                  R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)"sv,
                                  R"(\s+$)"sv,
                                  R"([一-龥ࠀ-一가-퟿]+)"sv,
                                  R"(\p{N}+)"sv};
constexpr std::array kMinicpm5{
    R"(\p{N}{1,3})"sv,
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"sv};
constexpr std::array kExaoneMoe{
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"sv};
constexpr std::array kBloom{R"( ?[^(\s|.,!?…。，、।۔،)]+)"sv};
constexpr std::array kViking{R"( ?[^(\s|.,!?…。，、।۔،)]+)"sv, R"(\p{N})"sv};
constexpr std::array kDigits{R"(\p{N})"sv};
constexpr std::array kSuperBpe{R"(\p{N}+)"sv, R"((?=(\d{3})+(?!\d)))"sv};
// What llama.cpp falls back on.
constexpr std::array kFallback{R"([\p{P}\$\+<=>\^~\|]+)"sv,
                               R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"sv,
                               R"(\p{N}+)"sv, R"([0-9][0-9][0-9])"sv};
constexpr std::string_view kThreeDigits = "[0-9][0-9][0-9]";

struct Known {
    std::span<const std::string_view> names;
    std::span<const std::string_view> expressions = {};
    Then then = Then::Bytes;
    bool ignores_merges = false;
    bool begins_with_bos = false;
    bool surrounds = false;
};

constexpr std::array kLlama3Names{"llama3"sv,  "llama-v3"sv, "llama-bpe"sv, "falcon3"sv,     "falcon-h1"sv,
                                  "pixtral"sv, "midm-2.0"sv, "lfm2"sv,      "jina-v5-nano"sv};
constexpr std::array kLlama3Words{"dbrx"sv, "smaug-bpe"sv, "chatglm-bpe"sv, "glm4"sv};
constexpr std::array kQwen2Names{"qwen2"sv,  "deepseek-r1-qwen"sv, "kormo"sv,  "f2llmv2"sv,   "stablelm2"sv,
                                 "megrez"sv, "hunyuan"sv,          "grok-2"sv, "solar-open"sv};
constexpr std::array kQwen35Names{"qwen35"sv};
constexpr std::array kTekkenNames{"tekken"sv};
constexpr std::array kGpt4oNames{"gpt-4o"sv, "llama4"sv, "kanana2"sv, "talkie"sv, "minimax-m2"sv};
constexpr std::array kSeedNames{"seed-coder"sv};
constexpr std::array kBailingNames{"bailingmoe"sv, "bailingmoe2"sv, "llada-moe"sv};
constexpr std::array kDeepseek3Names{"deepseek-v3"sv, "hunyuan-dense"sv, "joyai-llm"sv, "hy_v4"sv};
constexpr std::array kDeepseekCoderNames{"deepseek-coder"sv};
constexpr std::array kDeepseekLlmNames{"deepseek-llm"sv};
constexpr std::array kMinicpm5Names{"minicpm5"sv};
constexpr std::array kExaoneMoeNames{"exaone-moe"sv};
constexpr std::array kBloomNames{"bloom"sv, "gpt3-finnish"sv, "poro-chat"sv};
constexpr std::array kVikingNames{"viking"sv};
constexpr std::array kSuperBpeNames{"superbpe"sv};
constexpr std::array kDigitNames{"starcoder"sv, "refact"sv, "command-r"sv,  "smollm"sv,
                                 "codeshell"sv, "exaone"sv, "minerva-7b"sv, "mellum2"sv};
constexpr std::array kGpt2Names{"gpt-2"sv,   "phi-2"sv,      "jina-es"sv,    "jina-de"sv,  "gigachat"sv,
                                "a.x-4.0"sv, "jina-v2-es"sv, "jina-v2-de"sv, "mellum"sv,   "modern-bert"sv,
                                "mpt"sv,     "olmo"sv,       "jais"sv,       "trillion"sv, "granite-docling"sv,
                                "exaone4"sv};
constexpr std::array kFallbackNames{""sv, "default"sv};
constexpr std::array kRobertaNames{"roberta-bpe"sv, "jina-v1-en"sv, "jina-v2-code"sv};

constexpr std::array kKnown{
    Known{.names = kLlama3Names, .expressions = kLlama3, .ignores_merges = true, .begins_with_bos = true},
    Known{.names = kLlama3Words, .expressions = kLlama3},
    Known{.names = kQwen2Names, .expressions = kQwen2},
    Known{.names = kQwen35Names, .expressions = kQwen35},
    Known{.names = kTekkenNames, .expressions = kTekken, .ignores_merges = true, .begins_with_bos = true},
    Known{.names = kGpt4oNames, .expressions = kGpt4o},
    Known{.names = kSeedNames, .expressions = kSeedCoder},
    Known{.names = kBailingNames, .expressions = kBailing},
    Known{.names = kDeepseek3Names, .expressions = kDeepseek3},
    Known{.names = kDeepseekCoderNames, .expressions = kDeepseekCoder},
    Known{.names = kDeepseekLlmNames, .expressions = kDeepseekLlm},
    Known{.names = kMinicpm5Names, .expressions = kMinicpm5, .ignores_merges = true},
    Known{.names = kExaoneMoeNames, .expressions = kExaoneMoe},
    Known{.names = kBloomNames, .expressions = kBloom},
    Known{.names = kVikingNames, .expressions = kViking},
    Known{.names = kSuperBpeNames, .expressions = kSuperBpe},
    Known{.names = kDigitNames, .expressions = kDigits, .then = Then::GptWords},
    Known{.names = kGpt2Names, .then = Then::GptWords},
    Known{.names = kFallbackNames, .expressions = kFallback},
    Known{.names = kRobertaNames, .then = Then::GptWords, .surrounds = true},
};

OrderedJson split_at_each(std::string_view expression) {
    return {{"type", "Split"}, {"pattern", {{"Regex", std::string(expression)}}}, {"behavior", "Isolated"}};
}

OrderedJson byte_level(Then then) {
    return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", then == Then::GptWords}};
}

OrderedJson in_order(OrderedJson parts) { return {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}}; }

// Falcon's digits are split where its bytes are characters already.
OrderedJson falcon() {
    OrderedJson parts = OrderedJson::array();
    parts.push_back({{"type", "Punctuation"}, {"behavior", "Contiguous"}});
    parts.push_back(byte_level(Then::GptWords));
    parts.push_back({{"type", "Digits"}, {"individual_digits", false}});
    parts.push_back(split_at_each(kThreeDigits));
    return in_order(std::move(parts));
}

}  // namespace

GgufSplit gguf_split(std::string_view name) {
    if (name == "falcon") return {.pre_tokenizer = falcon()};
    const auto* const found =
        std::ranges::find_if(kKnown, [&](const Known& each) { return std::ranges::count(each.names, name) > 0; });
    if (found == kKnown.end())
        throw Error(ErrorKind::Unsupported,
                    concat("tokenizer.ggml.pre is ", python_repr(name), ", a way to split texts that is not known"));
    OrderedJson parts = OrderedJson::array();
    for (const std::string_view each : found->expressions) parts.push_back(split_at_each(each));
    parts.push_back(byte_level(found->then));
    return {in_order(std::move(parts)), found->ignores_merges, found->begins_with_bos, found->surrounds};
}

}  // namespace loupe::text
