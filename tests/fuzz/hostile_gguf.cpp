// SPDX-License-Identifier: Apache-2.0
// GGUF files by hand: a Llama of one layer whose weights are all zero, with one thing wrong in each.
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "tests/fuzz/fuzz_cases.h"
#include "tests/fuzz/gguf_parts.h"

namespace loupe::fuzz {
namespace {

using Damage = std::function<void(GgufParts&)>;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

std::string little(std::uint64_t value, std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
    return out;
}

GgufParts sound_parts() {
    GgufParts parts;
    parts.pairs = {gguf_text("general.architecture", "llama"),
                   gguf_u32("llama.context_length", 64),
                   gguf_u32("llama.embedding_length", 32),
                   gguf_u32("llama.block_count", 1),
                   gguf_u32("llama.feed_forward_length", 32),
                   gguf_u32("llama.attention.head_count", 4),
                   gguf_u32("llama.attention.head_count_kv", 2),
                   gguf_f32("llama.attention.layer_norm_rms_epsilon", 1e-5F),
                   gguf_text("tokenizer.ggml.model", "llama"),
                   gguf_texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a", "b", "ab", "\xe2\x96\x81", "c"})};
    const auto add = [&](std::string name, std::vector<std::uint64_t> sizes) {
        std::uint64_t bytes = 4;
        for (const std::uint64_t each : sizes) bytes *= each;
        parts.tensors.push_back({std::move(name), std::move(sizes), 0, parts.data.size()});
        parts.data.append((bytes + 31) / 32 * 32, '\0');
    };
    add("token_embd.weight", {32, 8});
    for (const char* name : {"attn_q", "attn_output", "ffn_gate", "ffn_up", "ffn_down"})
        add(std::string("blk.0.") + name + ".weight", {32, 32});
    for (const char* name : {"attn_k", "attn_v"}) add(std::string("blk.0.") + name + ".weight", {32, 16});
    for (const char* name : {"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"}) add(name, {32});
    return parts;
}

Damage with(GgufPair pair) {
    return [pair = std::move(pair)](GgufParts& parts) {
        for (GgufPair& each : parts.pairs) {
            if (each.key != pair.key) continue;
            each = pair;
            return;
        }
        parts.pairs.push_back(pair);
    };
}

std::string nested_lists(int depth) {
    std::string out;
    for (int i = 0; i < depth; ++i) out += little(9, 4) + little(1, 8);
    return out + little(0, 4) + little(0, 8);
}

std::map<std::string, Damage> metadata_damages() {
    std::map<std::string, Damage> out{
        {"nothing wrong", [](GgufParts&) {}},
        {"no metadata", [](GgufParts& p) { p.pairs.clear(); }},
        {"version 1", [](GgufParts& p) { p.version = 1; }},
        {"version 99", [](GgufParts& p) { p.version = 99; }},
        {"unknown architecture", with(gguf_text("general.architecture", "my\nown"))},
        {"architecture that is a number", with(gguf_u32("general.architecture", 3))},
        {"alignment 0", with(gguf_u32("general.alignment", 0))},
        {"alignment 3", with(gguf_u32("general.alignment", 3))},
        {"alignment 1", with(gguf_u32("general.alignment", 1))},
        {"alignment 2^31", with(gguf_u32("general.alignment", 0x80000000))},
        {"key twice", [](GgufParts& p) { p.pairs.push_back(p.pairs[1]); }},
        {"empty key", with(gguf_u32("", 1))},
        {"long key", with(gguf_u32(std::string(70'000, 'k'), 1))},
        {"value of an unknown type", with({"new", 77, "abcd"})},
        {"text without an end", with({"t", 8, little(kHuge, 8)})},
        {"list without an end", with({"t", 9, little(0, 4) + little(~std::uint64_t{0}, 8)})},
        {"list of an unknown type", with({"t", 9, little(55, 4) + little(4, 8) + "abcd"})},
        {"nested lists", with({"t", 9, nested_lists(3)})},
        {"lists nested too deep", with({"t", 9, nested_lists(10'000)})},
        {"many keys",
         [](GgufParts& p) {
             for (int i = 0; i < 100'000; ++i) p.pairs.push_back(gguf_u32("k" + std::to_string(i), 1));
         }},
        {"part 2 of 3",
         [](GgufParts& p) {
             p.pairs.push_back({"split.count", 2, little(3, 2)});
             p.pairs.push_back({"split.no", 2, little(1, 2)});
         }},
        {"part of 2^62",
         [](GgufParts& p) {
             p.pairs.push_back(gguf_u64("split.count", kHuge));
             p.pairs.push_back(gguf_u64("split.no", kHuge - 1));
         }},
        {"part of the largest number",
         [](GgufParts& p) {
             p.pairs.push_back(gguf_u64("split.count", std::numeric_limits<std::int64_t>::max()));
             p.pairs.push_back(gguf_u64("split.no", std::numeric_limits<std::int64_t>::max()));
         }},
    };
    for (const char* key : {"context_length", "embedding_length", "block_count", "feed_forward_length",
                            "attention.head_count", "attention.head_count_kv", "attention.key_length",
                            "rope.dimension_count", "expert_count", "expert_used_count", "attention.sliding_window"}) {
        const std::string whole = std::string("llama.") + key;
        for (const std::uint32_t value : {0U, 1U, 3U, 31U, 0x7fffffffU, kMost})
            out[whole + " of " + std::to_string(value)] = with(gguf_u32(whole, value));
        out[whole + " of 2^62"] = with(gguf_u64(whole, kHuge));
        out[whole + " of 2^64-1"] = with(gguf_u64(whole, ~std::uint64_t{0}));
        out[whole + " of 0.5"] = with(gguf_f32(whole, 0.5F));
        out[whole + " of text"] = with(gguf_text(whole, "x"));
        out[whole + " of a list"] = with(gguf_texts(whole, {"x", "y"}));
    }
    for (const char* key : {"attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.scaling.factor"}) {
        const std::string whole = std::string("llama.") + key;
        for (const float value :
             {0.0F, -1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
            out[whole + " of " + std::to_string(value)] = with(gguf_f32(whole, value));
    }
    return out;
}

std::map<std::string, Damage> tensor_damages() {
    std::map<std::string, Damage> out{
        {"no tensors", [](GgufParts& p) { p.tensors.clear(); }},
        {"tensor twice", [](GgufParts& p) { p.tensors.push_back(p.tensors[1]); }},
        {"no data", [](GgufParts& p) { p.data.clear(); }},
        {"short data", [](GgufParts& p) { p.data.resize(p.data.size() / 2); }},
        {"five dimensions",
         [](GgufParts& p) {
             p.tensors[1].sizes = {1, 1, 1, 1, 1};
         }},
        {"no dimensions", [](GgufParts& p) { p.tensors[1].sizes = {}; }},
        {"2^32-1 dimensions", [](GgufParts& p) { p.tensors[1].sizes.assign(1'000, 1); }},
        {"huge shape",
         [](GgufParts& p) {
             p.tensors[1].sizes = {kHuge, 4};
         }},
        {"shape of overflow",
         [](GgufParts& p) {
             p.tensors[1].sizes = {kHuge, kHuge, kHuge, kHuge};
         }},
        {"nothing of huge shape",
         [](GgufParts& p) {
             p.tensors[1].sizes = {0, std::uint64_t{1} << 40};
         }},
        {"rows of nothing",
         [](GgufParts& p) {
             p.tensors[1].sizes = {0, 0x7fffffff};
         }},
        {"data far away", [](GgufParts& p) { p.tensors[1].begin = kHuge; }},
        {"data at an odd place", [](GgufParts& p) { p.tensors[1].begin += 1; }},
        {"data of another", [](GgufParts& p) { p.tensors[1].begin = p.tensors[2].begin; }},
        {"long name", [](GgufParts& p) { p.tensors[1].name = std::string(70'000, 'n'); }},
        {"name of dots", [](GgufParts& p) { p.tensors[1].name = "....."; }},
        {"deep name",
         [](GgufParts& p) {
             p.tensors[1].name = "blk";
             for (int i = 0; i < 20'000; ++i) p.tensors[1].name += ".0";
         }},
        {"name without text", [](GgufParts& p) { p.tensors[1].name = ""; }},
        {"name of no UTF-8", [](GgufParts& p) { p.tensors[1].name = "\xff\xfe"; }},
        {"layer 2^62", [](GgufParts& p) { p.tensors[1].name = "blk.4611686018427387904.attn_q.weight"; }},
        {"many of an unknown type",
         [](GgufParts& p) {
             for (int i = 0; i < 100'000; ++i) p.tensors.push_back({"n" + std::to_string(i), {1}, 77, 0});
         }},
        {"frequencies of other count",
         [](GgufParts& p) {
             p.tensors.push_back({"rope_freqs.weight", {3}, 0, 0});
         }},
    };
    for (std::uint32_t type = 0; type < 45; ++type)
        out["weight of type " + std::to_string(type)] = [type](GgufParts& p) { p.tensors[1].type = type; };
    for (std::uint32_t type : {1U, 24U, 26U, 28U, 30U})
        out["norm of type " + std::to_string(type)] = [type](GgufParts& p) { p.tensors.back().type = type; };
    return out;
}

std::map<std::string, Damage> tokenizer_damages() {
    const auto tokens = [](const std::vector<std::string>& all) {
        return with(gguf_texts("tokenizer.ggml.tokens", all));
    };
    const auto ids = [](const char* key, std::uint32_t id) {
        return with(gguf_u32(std::string("tokenizer.ggml.") + key, id));
    };
    std::map<std::string, Damage> out{
        {"no tokens", tokens({})},
        {"empty tokens", tokens(std::vector<std::string>(8, ""))},
        {"one token", tokens({"a"})},
        {"more tokens than rows", tokens(std::vector<std::string>(1000, "a"))},
        {"tokens of no UTF-8", tokens({"\xff", "\xc3", "\x80", "a\xf0", "b", "ab", "c", ""})},
        {"token of a megabyte", tokens({std::string(1'000'000, 'a'), "a", "b", "ab", "c", "d", "e", "f"})},
        {"end beyond the vocabulary", ids("eos_token_id", kMost)},
        {"begin beyond the vocabulary", ids("bos_token_id", 9)},
        {"unknown token beyond the vocabulary", ids("unknown_token_id", kMost)},
        {"merges of one word", with(gguf_texts("tokenizer.ggml.merges", {"ab"}))},
        {"merges of nothing", with(gguf_texts("tokenizer.ggml.merges", {" ", "", "a "}))},
        {"merges of unknown tokens", with(gguf_texts("tokenizer.ggml.merges", {"z q"}))},
        {"scores that are texts", with(gguf_texts("tokenizer.ggml.scores", {"x"}))},
        {"types that are texts", with(gguf_texts("tokenizer.ggml.token_type", {"x"}))},
        {"scores of NaN", with({"tokenizer.ggml.scores", 9, little(6, 4) + little(8, 8) + std::string(32, '\xff')})},
        {"types of 2^31",
         with({"tokenizer.ggml.token_type", 9, little(5, 4) + little(8, 8) + std::string(32, '\x7f')})},
        {"map of characters that is none",
         with({"tokenizer.ggml.precompiled_charsmap", 9, little(0, 4) + little(8, 8) + std::string(8, '\xff')})},
    };
    for (const char* kind : {"gpt2", "bert", "t5", "rwkv", "no_vocab", ""}) {
        const std::string name = kind;
        out["tokenizer " + name] = with(gguf_text("tokenizer.ggml.model", name));
        for (const char* pre : {"llama-bpe", "falcon", "superbpe", "unheard of"}) {
            out["tokenizer " + name + " split as " + pre] = [=](GgufParts& p) {
                with(gguf_text("tokenizer.ggml.model", name))(p);
                with(gguf_text("tokenizer.ggml.pre", pre))(p);
            };
        }
    }
    return out;
}

}  // namespace

void visit_hostile_gguf(const Visit& visit) {
    for (const auto& damages : {metadata_damages(), tensor_damages(), tokenizer_damages()}) {
        for (const auto& [name, damage] : damages) {
            GgufParts parts = sound_parts();
            damage(parts);
            visit("GGUF: " + name, ".gguf", gguf_of(parts));
        }
    }
    // Counts that the bytes behind them do not hold.
    const std::string sound = gguf_of(sound_parts());
    for (const std::size_t place : {std::size_t{8}, std::size_t{16}}) {
        for (const std::uint64_t count : {std::uint64_t{1} << 40, kHuge, ~std::uint64_t{0}})
            visit("GGUF: count " + std::to_string(count) + " at byte " + std::to_string(place), ".gguf",
                  sound.substr(0, place) + little(count, 8) + sound.substr(place + 8));
    }
}

}  // namespace loupe::fuzz
