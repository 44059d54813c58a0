// SPDX-License-Identifier: Apache-2.0
#include "core/model/text_model.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/text/text_parts.h"
#include "core/text/tokenizer_folder.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestConfig = 10'000'000;

OrderedJson read_config(const fs::path& file) {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) return OrderedJson::object();
    if (fs::file_size(file, failed) > kLargestConfig)
        throw Error(ErrorKind::File, "too large for a config", {.file = file.string()});
    OrderedJson json = OrderedJson::parse(read_text_file(file.string()), nullptr, false);
    if (!json.is_object()) throw Error(ErrorKind::File, "no JSON object, or cut short", {.file = file.string()});
    return json;
}

// Was the model saved from such a class: "ForCausalLM"?
bool has_head(const OrderedJson& config, std::initializer_list<std::string_view> heads) {
    if (!config.contains("architectures") || !config["architectures"].is_array()) return false;
    return std::ranges::any_of(config["architectures"], [&](const OrderedJson& each) {
        const std::string name = each.is_string() ? each.get<std::string>() : std::string();
        return std::ranges::any_of(heads, [&](std::string_view head) { return name.ends_with(head); });
    });
}

Tensor on_device(const Tensor& t, Device device) {
    return t.device() == device ? t : fn::to_copy(t, IValue(), IValue(), device, IValue(), false, IValue());
}

std::shared_ptr<const text::TextParts> parts_of_folder(const fs::path& path) {
    std::error_code failed;
    const fs::path parent = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    const fs::path folder = fs::is_directory(path, failed) ? path : parent;
    auto out = std::make_shared<text::TextParts>();
    out->tokenizer = text::open_tokenizer(folder);
    if (out->tokenizer == nullptr)
        throw Error(ErrorKind::File, "no tokenizer in the folder",
                    {.file = path.string(), .hint = "it is tokenizer.json, vocab.json with merges.txt, or vocab.txt"});
    out->generation = read_config(folder / "generation_config.json");
    out->config = read_config(folder / "config.json");
    return out;
}

}  // namespace

TextModel::TextModel(std::shared_ptr<Program> program, const fs::path& path) : program_(std::move(program)) {
    const ModelFile& file = program_->file();
    if (!file.cannot_run.empty())
        throw Error(ErrorKind::Unsupported, concat("not run: ", file.cannot_run), {.file = path.string()});
    if (program_->source() == nullptr || (!place_of("input_ids") && !place_of("decoder_input_ids")))
        throw Error(ErrorKind::Unsupported, "this model takes no text: forward has no input_ids",
                    {.file = path.string()});
    const auto parts = file.text ? file.text() : parts_of_folder(path);
    if (parts == nullptr) throw Error(ErrorKind::File, "no tokenizer in the file", {.file = path.string()});
    tokenizer_ = parts->tokenizer;
    generation_ = parts->generation;
    const OrderedJson& config = parts->config;
    for (const char* name : {"eos_token_id", "bos_token_id", "pad_token_id", "decoder_start_token_id", "vocab_size"}) {
        if (config.contains(name) && !generation_.contains(name)) generation_[name] = config[name];
    }
    const auto sizes = ids_named("vocab_size");
    vocabulary_size_ = sizes.empty() ? 0 : sizes.front();
    for (const char* name : {"max_position_embeddings", "n_positions", "max_sequence_length"}) {
        if (config.contains(name) && config[name].is_number_integer() && most_tokens_ <= 0)
            most_tokens_ = std::max<std::int64_t>(0, config[name].get<std::int64_t>());
    }
    fills_gaps_ = has_head(config, {"ForMaskedLM", "ForPreTraining"});
    can_generate_ = has_head(config, {"ForCausalLM", "LMHeadModel", "LMHead", "ForConditionalGeneration"});
}

const FunctionSchema& TextModel::schema() const { return program_->source()->schema(); }

std::optional<std::size_t> TextModel::place_of(std::string_view argument) const {
    const auto& arguments = schema().arguments;
    for (std::size_t i = 1; i < arguments.size(); ++i)
        if (arguments[i].name == argument) return i - 1;
    return std::nullopt;
}

std::vector<std::int64_t> TextModel::ids_named(const char* name) const {
    std::vector<std::int64_t> out;
    if (!generation().contains(name)) return out;
    const OrderedJson& found = generation()[name];
    if (found.is_number_integer()) out.push_back(found.get<std::int64_t>());
    if (found.is_array())
        for (const OrderedJson& each : found)
            if (each.is_number_integer()) out.push_back(each.get<std::int64_t>());
    return out;
}

std::int64_t TextModel::decoder_start() const {
    for (const char* name : {"decoder_start_token_id", "bos_token_id", "pad_token_id"})
        if (const auto found = ids_named(name); !found.empty()) return found.front();
    return 0;
}

text::Encoding TextModel::encode(const std::string& text) const {
    text::Encoding tokens = tokenizer().encode(text);
    if (hears()) begin_decoder(tokens);
    for (const text::EncodedToken& token : tokens) {
        if (vocabulary_size_ <= 0 || token.id < vocabulary_size_) continue;
        throw Error(ErrorKind::File,
                    concat("the tokenizer does not fit the model: ", python_repr(std::string_view(token.token)),
                           " is token ", token.id, ", vocab_size is ", vocabulary_size_));
    }
    if (tokens.empty()) {
        const auto first = ids_named("bos_token_id");
        if (first.empty()) throw Error(ErrorKind::Usage, "the text has no tokens");
        const auto id = static_cast<text::TokenId>(first.front());
        const std::string* name = tokenizer().token(id);
        tokens.push_back({.id = id, .token = name != nullptr ? *name : std::string(), .span = {}, .is_added = true});
    }
    return tokens;
}

void TextModel::begin_decoder(text::Encoding& tokens) const {
    const std::vector<std::int64_t> ends = ids_named("eos_token_id");
    while (!tokens.empty() && tokens.back().is_added && std::ranges::count(ends, tokens.back().id) > 0)
        tokens.pop_back();
    const auto start = static_cast<text::TokenId>(decoder_start());
    if (!tokens.empty() && tokens.front().id == start) return;
    const std::string* name = tokenizer().token(start);
    tokens.insert(tokens.begin(),
                  {.id = start, .token = name != nullptr ? *name : std::string(), .span = {}, .is_added = true});
}

std::vector<InputSpec> TextModel::input_specs(const text::Encoding& tokens,
                                              const std::vector<InputSpec>& others) const {
    std::vector<std::int64_t> ids, types;
    for (const text::EncodedToken& token : tokens) {
        ids.push_back(token.id);
        types.push_back(token.type);
    }
    InputSpec none;
    none.literal = "None";
    std::vector<InputSpec> out;
    const auto give = [&](std::string_view name, const std::vector<std::int64_t>& values) {
        const auto place = place_of(name);
        if (!place) return;
        if (out.size() <= *place) out.resize(*place + 1, none);
        InputSpec& spec = out[*place];
        spec.shape = {1, std::ssize(values)};
        spec.dtype = "int64";
        spec.literal = concat("[", join(values, ", "), "]");
    };
    give("input_ids", ids);
    if (!hears()) give("attention_mask", std::vector<std::int64_t>(ids.size(), 1));
    give("token_type_ids", types);
    if (!hears()) {
        give("decoder_input_ids", {decoder_start()});
        return out;
    }
    give("decoder_input_ids", ids);
    // What it hears.
    std::vector<InputSpec> own;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Argument& argument = schema().arguments[i + 1];
        if (argument.default_value || argument.name == "decoder_input_ids") continue;
        if (own.empty() && others.size() <= i) own = program_->default_inputs("forward");
        const std::vector<InputSpec>& from = i < others.size() ? others : own;
        if (i < from.size()) out[i] = from[i];
    }
    return out;
}

std::vector<InputSpec> TextModel::specs_of_ids(const std::vector<std::int64_t>& ids,
                                               const std::vector<InputSpec>& others) const {
    text::Encoding tokens;
    for (const std::int64_t id : ids) {
        text::EncodedToken& token = tokens.emplace_back();
        token.id = static_cast<text::TokenId>(id);
    }
    return input_specs(tokens, others);
}

std::string TextModel::shown(std::int64_t id) const {
    const auto token = static_cast<text::TokenId>(id);
    if (id < 0 || id > tokenizer().largest_id() || tokenizer().token(token) == nullptr) return concat("token ", id);
    // Decoders leave the space before the first word out.
    const std::string& name = *tokenizer().token(token);
    const std::string text = tokenizer().decode(std::vector{token}, false);
    // A part of a character has no text of its own.
    if (text.find("\xEF\xBF\xBD") != std::string::npos) return name;
    const bool begins_word = name.starts_with("\u2581") && !text.starts_with(' ');
    return begins_word ? concat(" ", text) : text;
}

Tensor row_of_ids(const std::vector<std::int64_t>& ids, Device device) {
    const Tensor out = empty(std::vector<std::int64_t>{1, std::ssize(ids)}, ScalarType::Int64);
    std::ranges::copy(ids, out.data<std::int64_t>());
    return on_device(out, device);
}

std::vector<float> last_scores(const Tensor& logits) {
    if (!logits.defined() || logits.dim() < 2 || logits.numel() == 0)
        throw Error(ErrorKind::Run, "the model gives no logits of tokens");
    Tensor row = logits;
    while (row.dim() > 2) row = fn::select(row, 0, 0);
    row = on_device(fn::to_dtype(fn::select(row, 0, -1), static_cast<std::int64_t>(ScalarType::Float32)), {});
    row = fn::contiguous(row, 0);
    const float* data = row.data<float>();
    return {data, data + row.numel()};
}

}  // namespace loupe::session
