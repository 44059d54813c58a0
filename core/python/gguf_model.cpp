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
#include "core/formats/gguf/gguf.h"
#include "core/formats/source_format.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/python/pretrained_folder.h"
#include "core/tensor/packed.h"

namespace loupe::python {
namespace {

constexpr std::size_t kLongestList = 1000;  // longer ones are the tokenizer's
constexpr const char* kArchitecture = "general.architecture";
constexpr const char* kFrequencies = "rope_freqs.weight";

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

IValue frequencies_of(const GgufFile& file) {
    const auto found = std::ranges::find(file.tensors, std::string(kFrequencies), &GgufTensor::name);
    if (found == file.tensors.end() || found->type != "F32") return {};
    auto list = make_ptr<ListObject>(types::floating());
    const auto* const numbers = found->tensor.data<float>();
    for (std::int64_t i = 0; i < found->tensor.numel(); ++i)
        list->elements.emplace_back(static_cast<double>(numbers[i]));
    return IValue(std::move(list));
}

Plan plan_of(const GgufFile& file) {
    OrderedJson metadata = OrderedJson::object();
    for (const auto& [key, value] : file.metadata.items())
        if (!value.is_array() || value.size() <= kLongestList) metadata[key] = value;
    const auto table = std::ranges::find(file.tensors, std::string("token_embd.weight"), &GgufTensor::name);
    const std::int64_t vocabulary = table == file.tensors.end() || table->shape.empty() ? 0 : table->shape[0];
    const Ptr<Evaluator> evaluator = evaluator_of_architectures();
    Plan out;
    evaluator->run([&]() -> IValue {
        const IValue json = evaluator->import_module("json");
        const std::string text = metadata.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
        const IValue made = call(get_attribute(evaluator->import_module("architectures.gguf"), "plan"),
                                 {call(get_attribute(json, "loads"), {IValue(text)}), IValue(vocabulary),
                                  texts(file.tensors), frequencies_of(file)});
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

// The rows of dense elements as packed ones, so that products are in float32 whatever they are kept in.
Tensor as_packed(const GgufTensor& given) {
    if (is_packed(given.tensor)) return given.tensor;
    const GgmlType& type = *ggml_type(given.type == "F32" ? 0 : given.type == "F16" ? 1 : 30);
    const Tensor& t = given.tensor;
    const Dims sizes{t.size(0), t.size(1) * type.bytes};
    return make_packed(type, tensor_on(t.storage(), ScalarType::UInt8, span_of(sizes),
                                       span_of(contiguous_strides(span_of(sizes))), t.storage_offset() * type.bytes));
}

// Row (head, half, i) of a matrix stands as row (head, i, half).
Tensor halves_of_pairs(const GgufTensor& given, std::string_view text) {
    std::int64_t heads = 0;
    std::from_chars(text.data(), text.data() + text.size(), heads);
    const std::int64_t rows = given.shape[0];
    if (heads <= 0 || rows % (2 * heads) != 0 || rows > std::numeric_limits<std::int32_t>::max())
        throw_file_error(concat(quote_name(given.name), " has ", rows, " rows for ", heads, " heads"));
    const std::int64_t half = rows / heads / 2;
    std::vector<std::int32_t> order;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t head = row / (2 * half), within = row % (2 * half);
        order.push_back(static_cast<std::int32_t>(head * 2 * half + within % half * 2 + within / half));
    }
    const Tensor packed = as_packed(given);
    const PackedParts& parts = packed_parts(packed);
    return make_packed(*parts.type, parts.bytes, std::move(order));
}

Tensor running_weight(const GgufTensor& given, const std::string& what) {
    if (given.shape.size() != 2)
        return what == "minus one" ? fn::sub_scalar(given.tensor, Scalar(1), Scalar(1))
                                   : fn::to_dtype(given.tensor, static_cast<std::int64_t>(ScalarType::Float32));
    if (what.starts_with("pairs ")) return halves_of_pairs(given, std::string_view(what).substr(6));
    return given.type == "F32" ? given.tensor : as_packed(given);
}

bool runs(const GgufTensor& t) { return t.is_known && (is_packed(t.tensor) || is_floating(t.tensor.dtype())); }

ModelFile open_gguf(const Ptr<MappedFile>& file) {
    GgufFile read = read_gguf(file);
    if (!read.metadata.contains(kArchitecture) || !read.metadata[kArchitecture].is_string())
        return gguf_tree(std::move(read), "it names no architecture");
    const std::string name = read.metadata[kArchitecture].get<std::string>();
    try {
        const auto foreign = std::ranges::find_if_not(read.tensors, runs);
        if (foreign != read.tensors.end())
            return gguf_tree(std::move(read), concat(quote_name(foreign->name), " is of ", foreign->type));
        const Plan plan = plan_of(read);
        if (plan.config.empty())
            return gguf_tree(std::move(read), concat("the architecture ", quote_name(name), " is not known"));
        CheckpointWeights weights;
        weights.has_shared_once = true;
        for (std::size_t i = 0; i < read.tensors.size(); ++i)
            if (read.tensors[i].name != kFrequencies)
                weights.tensors.emplace_back(plan.changes[i].first,
                                             running_weight(read.tensors[i], plan.changes[i].second));
        return open_architecture(
            {plan.config, plan.model_type, concat("a GGUF model (", name, ")"), "metadata", "file"},
            std::move(weights));
    } catch (const PythonError& error) {
        throw Error(ErrorKind::File, concat("its metadata does not make a ", name, " model: ", error.message()),
                    {.file = file->path().string()});
    }
}

}  // namespace

FormatReader gguf_format() { return {"GGUF model", {".gguf"}, looks_like_gguf, open_gguf}; }

}  // namespace loupe::python
