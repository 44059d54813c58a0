// SPDX-License-Identifier: Apache-2.0
// Folders of models with one thing wrong in one of their files: every setting of a config of another type, zero,
// negative, huge, or missing; tokenizers that are none; indices of shards that lead elsewhere; scales that do not fit.
#include <array>
#include <utility>

#include "core/base/file.h"
#include "core/base/ordered_json.h"
#include "tests/fuzz/fuzz_cases.h"

namespace loupe::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = OrderedJson;

constexpr std::array kValues{"null",
                             "true",
                             "0",
                             "-1",
                             "1",
                             "3",
                             "1000000000",
                             "9223372036854775807",
                             "-9223372036854775808",
                             "1e400",
                             "0.5",
                             "1e-320",
                             R"("")",
                             R"("x")",
                             R"("../../x\n")",
                             "[]",
                             "[0]",
                             "[[]]",
                             "{}",
                             R"({"x": {}})"};

// One thing of a JSON file: where, as a JSON pointer, and what stands there; empty: nothing.
struct Change {
    const char* at;
    const char* to;
};

// Of a text that may hold numbers that JSON has not, as 1e400.
void put(std::string& text, const Json& changed) {
    text = changed.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string mark = "\"\\u0001huge\"";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), "1e400");
}

Json value_of(std::string text) {
    const std::string huge = "1e400";
    for (std::size_t at = text.find(huge); at != std::string::npos; at = text.find(huge, at))
        text.replace(at, huge.size(), "\"\\u0001huge\"");
    return Json::parse(text);
}

// Every value at any depth, but of lists only what comes first.
void collect(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& out) {
    if (!json.is_structured()) return;
    std::size_t place = 0;
    for (const auto& [key, value] : json.items()) {
        if (json.is_array() && place++ > 1) return;
        const auto here = json.is_array() ? at / (place - 1) : at / key;
        out.push_back(here);
        collect(value, here, out);
    }
}

std::string without(const Json& json, const Json::json_pointer& at) {
    Json changed = json;
    Json& parent = changed[at.parent_pointer()];
    if (parent.is_array())
        parent.erase(std::stoul(at.back()));
    else
        parent.erase(at.back());
    std::string text;
    put(text, changed);
    return text;
}

std::string with(const Json& json, const Json::json_pointer& at, std::string_view value) {
    Json changed = json;
    changed[at] = value_of(std::string(value));
    std::string text;
    put(text, changed);
    return text;
}

void visit_settings(const std::string& name, const std::string& bytes, std::size_t step, const Visit& visit) {
    const Json json = Json::parse(bytes);
    std::vector<Json::json_pointer> places;
    collect(json, Json::json_pointer(), places);
    std::size_t number = 0;
    for (const auto& at : places) {
        if (number++ % step == 0) visit(name + " without " + at.to_string(), ".json", without(json, at));
        for (const char* value : kValues)
            if (number++ % step == 0)
                visit(name + " with " + at.to_string() + " " + value, ".json", with(json, at, value));
    }
}

void visit_changes(const std::string& name, const std::string& bytes, const std::vector<Change>& changes,
                   const Visit& visit) {
    const Json json = Json::parse(bytes);
    for (const Change& each : changes) {
        const Json::json_pointer at(each.at);
        const std::string text = *each.to == '\0' ? without(json, at) : with(json, at, each.to);
        visit(name + " " + each.at + " " + std::string(each.to).substr(0, 60), ".json", text);
    }
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

const std::vector<Change>& tokenizer_changes() {
    static const std::vector<Change> kChanges{
        {"/model", ""},
        {"/model", "[]"},
        {"/model", "{}"},
        {"/model/type", "\"Neural\""},
        {"/model/type", "7"},
        {"/model/type", "\"WordPiece\""},
        {"/model/type", "\"Unigram\""},
        {"/model/vocab", "[]"},
        {"/model/vocab", "{}"},
        {"/model/vocab", "[[\"a\"]]"},
        {"/model/vocab", "[[\"a\", \"b\"]]"},
        {"/model/vocab", "{\"a\": -1}"},
        {"/model/vocab", "{\"a\": 2147483647}"},
        {"/model/vocab", "{\"a\": 9223372036854775807}"},
        {"/model/vocab", "{\"a\": 0.5}"},
        {"/model/vocab", "{\"a\": \"b\"}"},
        {"/model/vocab", "{\"a\": 0, \"b\": 0}"},
        {"/model/vocab", "{\"\": 0}"},
        {"/model/vocab", "{\"a\": 100000}"},
        {"/model/merges", "{}"},
        {"/model/merges", "[1, 2]"},
        {"/model/merges", "[\"a\"]"},
        {"/model/merges", "[\"a b c\"]"},
        {"/model/merges", "[[\"a\"]]"},
        {"/model/merges", "[[\"a\", \"b\", \"c\"]]"},
        {"/model/merges", "[[\"no\", \"such\"]]"},
        {"/model/merges", "[\"\"]"},
        {"/model/unk_token", "\"no such token\""},
        {"/model/unk_token", "[]"},
        {"/model/byte_fallback", "\"yes\""},
        {"/model/dropout", "2.5"},
        {"/model/continuing_subword_prefix", "7"},
        {"/model/end_of_word_suffix", "\"</w>\""},
        {"/model/ignore_merges", "\"x\""},
        {"/added_tokens", "{}"},
        {"/added_tokens", "[7]"},
        {"/added_tokens", "[{}]"},
        {"/added_tokens", "[{\"id\": -1, \"content\": \"a\"}]"},
        {"/added_tokens", "[{\"id\": 1099511627776, \"content\": \"a\"}]"},
        {"/added_tokens", "[{\"id\": 2000000000, \"content\": \"a\"}]"},
        {"/added_tokens", "[{\"id\": 3, \"content\": \"\"}]"},
        {"/added_tokens", "[{\"id\": 3, \"content\": 4, \"special\": \"x\"}]"},
        {"/normalizer", "{\"type\": \"Spell\"}"},
        {"/normalizer", "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"(\"}, \"content\": \"\"}"},
        {"/normalizer", "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"(a*)*b\"}, \"content\": \"c\"}"},
        {"/normalizer", "{\"type\": \"Replace\", \"pattern\": {\"String\": \"\"}, \"content\": \"cc\"}"},
        {"/normalizer", "{\"type\": \"Precompiled\", \"precompiled_charsmap\": \"AAAA////\"}"},
        {"/normalizer", "{\"type\": \"Precompiled\", \"precompiled_charsmap\": \"*\"}"},
        {"/normalizer", "{\"type\": \"Sequence\", \"normalizers\": 3}"},
        {"/normalizer", "{\"type\": \"Prepend\"}"},
        {"/pre_tokenizer", "{\"type\": \"Split\", \"pattern\": {\"Regex\": \"[z-a]\"}, \"behavior\": \"Isolated\"}"},
        {"/pre_tokenizer", "{\"type\": \"Split\", \"pattern\": {\"Regex\": \"\"}, \"behavior\": \"Isolated\"}"},
        {"/pre_tokenizer", "{\"type\": \"Split\", \"pattern\": {\"String\": \"\"}, \"behavior\": \"Removed\"}"},
        {"/pre_tokenizer", "{\"type\": \"Split\", \"pattern\": {\"Regex\": \"a\"}, \"behavior\": \"Odd\"}"},
        {"/pre_tokenizer", "{\"type\": \"Metaspace\", \"replacement\": \"\"}"},
        {"/pre_tokenizer", "{\"type\": \"Sequence\"}"},
        {"/pre_tokenizer", "[]"},
        {"/decoder", "{\"type\": \"Spell\"}"},
        {"/decoder", "{\"type\": \"Strip\", \"content\": \"\", \"start\": -1, \"stop\": 9223372036854775807}"},
        {"/decoder", "{\"type\": \"Replace\", \"pattern\": {\"String\": \"\"}, \"content\": \"x\"}"},
        {"/post_processor", "{\"type\": \"TemplateProcessing\"}"},
        {"/post_processor",
         "{\"type\": \"TemplateProcessing\", \"single\": [{\"SpecialToken\": {\"id\": \"none\", \"type_id\": 0}}], "
         "\"pair\": [], \"special_tokens\": {}}"},
        {"/post_processor",
         "{\"type\": \"TemplateProcessing\", \"single\": [{\"Sequence\": {\"id\": \"Q\", \"type_id\": -1}}], \"pair\": "
         "[], \"special_tokens\": {\"x\": {\"id\": \"x\", \"ids\": [-5, 1e400], \"tokens\": [1]}}}"},
        {"/post_processor", "{\"type\": \"BertProcessing\", \"sep\": [1, 2], \"cls\": \"x\"}"},
        {"/truncation", "{\"max_length\": -1, \"stride\": 9, \"strategy\": \"x\", \"direction\": 3}"},
        {"/padding", "{\"strategy\": {\"Fixed\": 1000000000000}, \"pad_id\": -1}"},
        {"/version", "\"99.0\""},
    };
    return kChanges;
}

const std::vector<Change>& index_changes() {
    static const std::vector<Change> kChanges{
        {"/weight_map", ""},
        {"/weight_map", "[]"},
        {"/weight_map", "{}"},
        {"/weight_map/model.norm.weight", "\"../llama/model.safetensors\""},
        {"/weight_map/model.norm.weight", "\"/etc/passwd\""},
        {"/weight_map/model.norm.weight", "\"/dev/zero\""},
        {"/weight_map/model.norm.weight", "\"./../case.model/model-00001-of-00002.safetensors\""},
        {"/weight_map/model.norm.weight", "\"\""},
        {"/weight_map/model.norm.weight", "\".\""},
        {"/weight_map/model.norm.weight", "\"config.json\""},
        {"/weight_map/model.norm.weight", "\"model.safetensors.index.json\""},
        {"/weight_map/model.norm.weight", "\"no-such-file.safetensors\""},
        {"/weight_map/model.norm.weight", "\"x\\u0000y\""},
        {"/weight_map/model.norm.weight", "7"},
        {"/weight_map/model.norm.weight", ""},
        {"/weight_map/added", "\"model-00001-of-00002.safetensors\""},
        {"/metadata", "7"},
        {"/metadata", "{\"total_size\": -1}"},
        {"/metadata", "{\"total_size\": 9223372036854775807}"},
        {"/metadata", "{\"total_size\": \"x\"}"},
    };
    return kChanges;
}

const std::vector<Change>& config_changes() {
    static const std::vector<Change> kChanges{
        {"/model_type", "\"alpaca\""},
        {"/model_type", "\"loading\""},
        {"/model_type", "\"../../llama\""},
        {"/model_type", "\"t5\""},
        {"/model_type", "\"whisper\""},
        {"/architectures", "[\"LlamaForVision\"]"},
        {"/architectures", "[3]"},
        {"/architectures", "\"LlamaForCausalLM\""},
        {"/num_attention_heads", "3"},
        {"/num_attention_heads", "5"},
        {"/num_key_value_heads", "3"},
        {"/num_key_value_heads", "8"},
        {"/head_dim", "3"},
        {"/head_dim", "0"},
        {"/vocab_size", "505"},
        {"/rope_parameters", "{\"rope_type\": \"yarn\"}"},
        {"/rope_parameters", "{\"rope_type\": \"yarn\", \"factor\": 0, \"rope_theta\": 0}"},
        {"/rope_parameters", "{\"rope_type\": \"llama3\", \"rope_theta\": 10000.0}"},
        {"/rope_parameters",
         "{\"rope_type\": \"longrope\", \"rope_theta\": 1e4, \"long_factor\": [1], \"short_factor\": []}"},
        {"/rope_parameters", "{\"rope_type\": \"dynamic\", \"factor\": -1, \"rope_theta\": 1e400}"},
        {"/rope_parameters", "{\"full_attention\": 3}"},
        {"/rope_scaling", "{\"type\": \"linear\"}"},
        {"/rope_scaling", "{\"type\": \"linear\", \"factor\": 0}"},
        {"/rope_scaling", "[1]"},
        {"/layer_types", "[\"full_attention\"]"},
        {"/layer_types", "[\"a\", \"b\"]"},
        {"/layer_types", "7"},
        {"/hidden_act", "\"no such\""},
        {"/torch_dtype", "\"float3\""},
        {"/dtype", "[]"},
        {"/quantization_config", "{}"},
        {"/quantization_config", "{\"quant_method\": \"gptq\", \"bits\": 4}"},
        {"/quantization_config", "{\"quant_method\": \"fp8\", \"weight_block_size\": [0, 0]}"},
        {"/quantization_config", "{\"quant_method\": \"fp8\", \"weight_block_size\": [1, 9223372036854775807]}"},
        {"/quantization_config", "[]"},
        {"/auto_map", "{\"AutoModel\": \"modeling.Own\"}"},
    };
    return kChanges;
}

}  // namespace

void visit_hostile_folders(const fs::path& fixtures, std::size_t step, const ChooseFile& choose, const Visit& visit) {
    const auto each = [&](const char* file, const std::function<void(const std::string& bytes)>& work) {
        choose(fixtures / file);
        work(read_text_file(fixtures / file));
    };
    for (const char* file : {"generation/llama/tokenizer.json", "generation/gpt2/tokenizer.json",
                             "generation/t5/tokenizer.json", "generation/whisper/tokenizer.json"})
        each(file, [&](const std::string& bytes) {
            visit_changes(file, bytes, tokenizer_changes(), visit);
            for (const char* text : {"", "[]", "null", "7", "\"x\"", "{", "\xff\xfe{}", "{\"model\"}"})
                visit(std::string(file) + " is " + text, ".json", text);
            visit(std::string(file) + " nested", ".json",
                  R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "normalizer": )" +
                      repeated(R"({"type": "Sequence", "normalizers": [)", 20'000) + repeated("]}", 20'000) + "}");
        });
    each("pretrained/llama_shards/model.safetensors.index.json",
         [&](const std::string& bytes) { visit_changes("index of shards", bytes, index_changes(), visit); });
    each("generation/llama/config.json",
         [&](const std::string& bytes) { visit_changes("config", bytes, config_changes(), visit); });
    for (const char* file :
         {"generation/llama/config.json", "generation/llama/generation_config.json", "generation/t5/config.json",
          "generation/whisper/config.json", "generation/gpt2/config.json", "generation/falcon_alibi/config.json",
          "generation/opt/config.json", "pretrained/deepseek_v3/config.json", "pretrained/deepseek_v3_fp8/config.json",
          "pretrained/gemma3/config.json", "pretrained/qwen3_moe/config.json", "pretrained/phi3_longrope/config.json",
          "pretrained/llama_yarn/config.json", "pretrained/mixtral/config.json", "pretrained/deberta_v2/config.json",
          "pretrained/clip/config.json", "pretrained/dinov2/config.json", "pretrained/bert/config.json"})
        each(file, [&](const std::string& bytes) { visit_settings(file, bytes, step, visit); });
}

}  // namespace loupe::fuzz
