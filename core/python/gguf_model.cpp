// SPDX-License-Identifier: Apache-2.0
// GGUF files run by the architectures of Hugging Face folders, on their packed weights.

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/gguf/split.h"
#include "core/formats/source_format.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/pretrained_folder.h"
#include "core/tensor/packed.h"
#include "core/text/gguf_tokenizer.h"

namespace loupe::python {
namespace {

constexpr std::size_t kLongestList = 1000;  // longer ones are the tokenizer's
constexpr std::int64_t kMostFrequencies = 100'000;
constexpr std::int64_t kMostExperts = 10'000;
constexpr const char* kArchitecture = "general.architecture";
constexpr const char* kTable = "token_embd.weight";

struct Plan {
    std::string config;  // empty: the architecture is not known
    std::string model_type;
    std::vector<std::pair<std::string, std::string>> changes;  // of each tensor its own name and what is done with it
};

IValue texts(const std::vector<GgufTensor>& tensors) {
    auto list = make_ptr<ListObject>(types::string());
    for (const GgufTensor& each : tensors) list->elements.emplace_back(each.name);
    return IValue(std::move(list));
}

const GgufTensor* find(const GgufFile& file, std::string_view name) {
    const auto found = std::ranges::find(file.tensors, name, &GgufTensor::name);
    return found == file.tensors.end() ? nullptr : &*found;
}

// Weights that are settings: the factors of rotary frequencies.
bool is_setting(std::string_view name) { return name == "rope_freqs.weight" || name.starts_with("rope_factors_"); }

IValue settings_of(const GgufFile& file) {
    auto dict = make_ptr<DictObject>(types::string(), types::any());
    for (const GgufTensor& each : file.tensors) {
        if (!is_setting(each.name) || each.type != "F32" || each.tensor.numel() > kMostFrequencies) continue;
        auto list = make_ptr<ListObject>(types::floating());
        const auto* const numbers = each.tensor.data<float>();
        for (std::int64_t i = 0; i < each.tensor.numel(); ++i)
            list->elements.emplace_back(static_cast<double>(numbers[i]));
        dict->set(IValue(each.name), IValue(std::move(list)));
    }
    return IValue(std::move(dict));
}

// Rows of the table of tokens.
std::int64_t vocabulary_of(const GgufFile& file) {
    const GgufTensor* table = find(file, kTable);
    return table == nullptr || table->shape.empty() ? 0 : table->shape[0];
}

Plan plan_of(const GgufFile& file) {
    OrderedJson metadata = OrderedJson::object();
    for (const auto& [key, value] : file.metadata.items())
        if (!value.is_array() || value.size() <= kLongestList) metadata[key] = value;
    const Ptr<Evaluator> evaluator = evaluator_of_architectures();
    Plan out;
    evaluator->run([&]() -> IValue {
        const IValue json = evaluator->import_module("json");
        const std::string text = metadata.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
        const IValue made = call(get_attribute(evaluator->import_module("architectures.gguf"), "plan"),
                                 {call(get_attribute(json, "loads"), {IValue(text)}), IValue(vocabulary_of(file)),
                                  texts(file.tensors), settings_of(file)});
        const std::vector<IValue>& parts = made.to_tuple().elements;
        if (parts[0].is_none()) return {};
        out.config = call(get_attribute(json, "dumps"), {parts[0]}).to_string();
        for (const IValue& each : parts[1].to_list().elements)
            out.changes.emplace_back(each.to_tuple().elements[0].to_string(), each.to_tuple().elements[1].to_string());
        return {};
    });
    if (!out.config.empty()) out.model_type = OrderedJson::parse(out.config)["model_type"].get<std::string>();
    return out;
}

Tensor in_float32(const Tensor& t) { return fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float32)); }

// The rows of dense elements as packed ones, so that products are in float32 whatever they are kept in.
Tensor as_packed(const GgufTensor& given) {
    if (is_packed(given.tensor)) return given.tensor;
    const Tensor t = given.tensor.dtype() == ScalarType::Float64 ? in_float32(given.tensor) : given.tensor;
    const GgmlType& type = *ggml_type(t.dtype() == ScalarType::Float32 ? 0 : t.dtype() == ScalarType::Float16 ? 1 : 30);
    const std::int64_t columns = t.size(-1);
    const Dims sizes{columns == 0 ? 0 : t.numel() / columns, columns * type.bytes};
    return make_packed(type, tensor_on(t.storage(), ScalarType::UInt8, span_of(sizes),
                                       span_of(contiguous_strides(span_of(sizes))), t.storage_offset() * type.bytes));
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
    std::vector<std::int64_t> out;
    for (const std::string_view each : split(text, ' ')) {
        std::int64_t number = 0;
        std::from_chars(each.data(), each.data() + each.size(), number);
        out.push_back(number);
    }
    return out;
}

[[noreturn]] void refuse_rows(const GgufTensor& given, std::int64_t heads) {
    throw_file_error(concat(quote_name(given.name), " has ", given.shape[0], " rows for ", heads, " heads"));
}

// Row (head, half, i) stands as row (head, i, half).
std::vector<std::int32_t> halves_of_pairs(const GgufTensor& given, std::int64_t heads) {
    const std::int64_t rows = given.shape[0];
    if (heads <= 0 || heads > rows || rows % (2 * heads) != 0) refuse_rows(given, heads);
    const std::int64_t half = rows / heads / 2;
    std::vector<std::int32_t> order;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t head = row / (2 * half), within = row % (2 * half);
        order.push_back(static_cast<std::int32_t>(head * 2 * half + within % half * 2 + within / half));
    }
    return order;
}

// Queries, keys and values stand one after the other: of each key head the queries that it serves, it and its value.
std::vector<std::int32_t> groups_of_heads(const GgufTensor& given, std::int64_t heads, std::int64_t key_heads) {
    const std::int64_t rows = given.shape[0];
    if (heads <= 0 || key_heads <= 0 || heads > rows || heads % key_heads != 0) refuse_rows(given, heads);
    const std::int64_t all = heads + 2 * key_heads;
    if (rows % all != 0) refuse_rows(given, heads);
    const std::int64_t width = rows / all, served = heads / key_heads;
    std::vector<std::int32_t> order;
    for (std::int64_t key = 0; key < key_heads; ++key)
        for (std::int64_t part = 0; part < served + 2; ++part) {
            const std::int64_t head = part < served    ? key * served + part
                                      : part == served ? heads + key
                                                       : heads + key_heads + key;
            for (std::int64_t i = 0; i < width; ++i) order.push_back(static_cast<std::int32_t>(head * width + i));
        }
    return order;
}

std::vector<std::int32_t> row_order(const GgufTensor& given, std::string_view what) {
    if (given.shape.empty()) throw_file_error(concat(quote_name(given.name), " has no rows"));
    if (given.shape[0] > std::numeric_limits<std::int32_t>::max()) refuse_rows(given, 0);
    if (given.tensor.numel() == 0) throw_file_error(concat(quote_name(given.name), " has no elements"));
    const auto numbers = numbers_in(what.substr(what.find(' ') + 1));
    if (what.starts_with("pairs ")) return halves_of_pairs(given, numbers.at(0));
    return groups_of_heads(given, numbers.at(0), numbers.at(1));
}

// A vector, or elements of more than two dimensions.
Tensor running_elements(const GgufTensor& given, const std::string& what) {
    if (is_packed(given.tensor)) throw_file_error(concat(quote_name(given.name), " is packed, and no matrix"));
    if (what == "minus one") return fn::sub_scalar(in_float32(given.tensor), Scalar(1), Scalar(1));
    if (what.find(' ') == std::string::npos) return in_float32(given.tensor);
    const std::vector<std::int32_t> order = row_order(given, what);
    const Tensor places = empty(std::vector<std::int64_t>{std::ssize(order)}, ScalarType::Int64);
    std::ranges::copy(order, places.data<std::int64_t>());
    return fn::index_select(in_float32(given.tensor), 0, places);
}

Tensor running_matrix(const GgufTensor& given, const std::string& what) {
    if (what == "transposed") return packed_transpose(as_packed(given));
    if (what == "minus one") throw_file_error(concat(quote_name(given.name), " is a matrix, and no vector"));
    if (what.find(' ') == std::string::npos) return given.type == "F32" ? given.tensor : as_packed(given);
    const Tensor packed = as_packed(given);
    const PackedParts& parts = packed_parts(packed);
    return make_packed(*parts.type, parts.bytes, row_order(given, what));
}

// Of [experts, rows, columns] a matrix for each, by the name with its number.
void add_experts(const GgufTensor& given, const std::string& name, NamedTensors& out) {
    const std::size_t place = name.find("{}");
    if (given.shape.size() != 3 || place == std::string::npos || given.shape[0] > kMostExperts)
        throw_file_error(concat(quote_name(given.name), " is no table of matrices"));
    const Tensor packed = as_packed(given);
    const PackedParts& all = packed_parts(packed);
    for (std::int64_t i = 0; i < given.shape[0]; ++i)
        out.emplace_back(concat(name.substr(0, place), i, name.substr(place + 2)),
                         make_packed(*all.type, fn::narrow(all.bytes, 0, i * given.shape[1], given.shape[1])));
}

NamedTensors running_weights(const GgufFile& file, const Plan& plan) {
    NamedTensors out;
    for (std::size_t i = 0; i < file.tensors.size(); ++i) {
        const GgufTensor& given = file.tensors[i];
        if (is_setting(given.name)) continue;
        const auto& [name, what] = plan.changes[i];
        if (what == "experts")
            add_experts(given, name, out);
        else
            out.emplace_back(name,
                             given.shape.size() == 2 ? running_matrix(given, what) : running_elements(given, what));
    }
    return out;
}

bool runs(const GgufTensor& t) { return t.is_known && (is_packed(t.tensor) || is_floating(t.tensor.dtype())); }

// The metadata as notes of the root; the chat template, whole, as a text of its own.
void show_metadata(ModelFile& model, const OrderedJson& metadata) {
    std::size_t count = 0;
    for (std::string& note : gguf_notes(metadata))
        model.module->set_attribute(concat("note", ++count), IValue(std::move(note)));
    constexpr const char* kTemplate = "tokenizer.chat_template";
    if (metadata.contains(kTemplate) && metadata[kTemplate].is_string())
        model.sources.push_back(
            std::make_shared<const ir::Source>(metadata[kTemplate].get<std::string>(), "chat_template.jinja"));
}

std::shared_ptr<const text::TextParts> text_parts(const Ptr<MappedFile>& file, const std::string& config) {
    try {
        const auto parts = text::gguf_text_parts(read_gguf_metadata(file));
        if (parts == nullptr) return nullptr;
        auto out = std::make_shared<text::TextParts>(*parts);
        out->config = OrderedJson::parse(config);
        return out;
    } catch (Error& error) {
        error.add_context({.file = file->path().string()});
        throw;
    }
}

ModelFile open_gguf(const Ptr<MappedFile>& file) {
    GgufParts parts = read_gguf_parts(file);
    GgufFile& read = parts.all;
    if (!read.metadata.contains(kArchitecture) || !read.metadata[kArchitecture].is_string())
        return gguf_tree(std::move(read), "it names no architecture");
    const std::string name = read.metadata[kArchitecture].get<std::string>();
    try {
        const auto foreign = std::ranges::find_if_not(read.tensors, runs);
        if (foreign != read.tensors.end()) {
            const std::string why = concat(quote_name(foreign->name), " is of ", foreign->type);
            return gguf_tree(std::move(read), why);
        }
        const Plan plan = plan_of(read);
        if (plan.config.empty())
            return gguf_tree(std::move(read), concat("the architecture ", quote_name(name), " is not known"));
        CheckpointWeights weights;
        weights.has_shared_once = true;
        for (auto& [own, tensor] : running_weights(read, plan)) weights.tensors.emplace_back(own, std::move(tensor));
        ModelFile out =
            open_architecture({plan.config, plan.model_type, concat("a GGUF model (", name, ")"), "metadata", "file"},
                              std::move(weights));
        show_metadata(out, read.metadata);
        out.text = [first = parts.first, config = plan.config] { return text_parts(first, config); };
        return out;
    } catch (const PythonError& error) {
        throw Error(ErrorKind::File, concat("its metadata does not make a ", name, " model: ", error.message()),
                    {.file = file->path().string()});
    }
}

}  // namespace

FormatReader gguf_format() { return {"GGUF model", {".gguf"}, looks_like_gguf, open_gguf}; }

}  // namespace loupe::python
