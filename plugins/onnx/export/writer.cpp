// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/export/writer.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/passes/pass_manager.h"
#include "core/runtime/trace/tracer.h"
#include "plugins/onnx/export/exporter.h"
#include "plugins/onnx/export/serialize.h"
#include "plugins/onnx/export/write_options.h"

namespace loupe::onnx_export {
namespace {

// Calls become what they call; the rest is the exporter's.
constexpr std::string_view kPasses = "Inline, InlineForkWait, NormalizeOps, LowerSimpleTuples, PeepholeOptimize, DCE";

using Examples = std::array<std::int64_t, kChoices>;

// The graph's inputs: what the examples are, with names, and sizes that may differ between runs.
class Inputs {
  public:
    Inputs(Exporter& exporter, const WriteOptions& options) : exporter_(exporter), options_(options) {}

    void add(const ir::Value& value, const IValue& example, std::size_t place) {
        std::string name = value.has_name() ? value.debug_name() : concat("input_", place);
        // TorchScript tells values of one name apart by a number behind a point.
        if (const auto point = name.rfind('.'); point != std::string::npos) name = name.substr(0, point);
        const std::vector<DynamicSize> sizes = sizes_of(concat("arg", place), name);
        operands.push_back(operand_of(example, name, sizes, -1));
    }

    // Every size that was asked for belongs to an input.
    void check() const {
        for (const DynamicSize& size : options_.dynamic) {
            if (std::find(used_.begin(), used_.end(), &size) != used_.end()) continue;
            throw Error(ErrorKind::Usage, concat("dynamic '", size.argument, "' names no argument of the model"),
                        {.hint = concat("the arguments are ", join(names_, ", "))});
        }
    }

    Operands operands;
    std::vector<ValueDef> defs;
    std::map<Examples, std::string> size_names;

  private:
    std::vector<DynamicSize> sizes_of(const std::string& place, const std::string& name) {
        names_.push_back(name);
        std::vector<DynamicSize> sizes;
        for (const DynamicSize& size : options_.dynamic) {
            if (size.argument != place && size.argument != name) continue;
            sizes.push_back(size);
            used_.push_back(&size);
        }
        return sizes;
    }

    Operand operand_of(const IValue& example, const std::string& name, const std::vector<DynamicSize>& sizes,
                       std::int64_t element) {
        if (example.is_tensor()) return tensor_of(example.to_tensor(), name, sizes, element);
        if (example.is_list() || example.is_tuple()) {
            const auto& values = example.is_list() ? example.to_list().elements : example.to_tuple().elements;
            Operands elements;
            for (std::size_t i = 0; i < values.size(); ++i)
                elements.push_back(operand_of(values[i], concat(name, "_", i), sizes, static_cast<std::int64_t>(i)));
            const TypePtr type = example.is_list() ? example.to_list().element_type : nullptr;
            return exporter_.list_operand(std::move(elements), type,
                                          example.is_list() ? Operand::Kind::List : Operand::Kind::Tuple);
        }
        if (example.is_dict()) {
            Operand dict = exporter_.list_operand({}, example.to_dict().value_type, Operand::Kind::Dict);
            for (const auto& [key, value] : example.to_dict().entries()) {
                dict.list->keys.push_back(key);
                const std::string own =
                    key.is_string() ? key.to_string() : concat(name, "_", dict.list->elements.size());
                dict.list->elements.push_back(operand_of(value, own, sizes, -1));
            }
            return dict;
        }
        const bool is_input = example.is_int() && !sizes.empty();
        if (!is_input) return constant_operand(example);
        OnnxValue value{.name = take_name(name), .dtype = ScalarType::Int64, .sizes = Dims()};
        defs.push_back({value.name, value.dtype, std::vector<DimDef>(), false});
        return Exporter::number_operand(std::move(value));
    }

    std::string take_name(const std::string& name) {
        const auto& given = options_.exporting.input_names;
        return defs.size() < given.size() ? given[defs.size()] : name;
    }

    Operand tensor_of(const Tensor& tensor, const std::string& argument, const std::vector<DynamicSize>& sizes,
                      std::int64_t element) {
        if (!tensor.defined()) return constant_operand(IValue());
        OnnxValue value{.name = take_name(argument), .dtype = tensor.dtype()};
        ValueDef def{.name = value.name, .dtype = value.dtype, .dims = std::vector<DimDef>()};
        std::array<Dims, kChoices> examples{to_dims(tensor.sizes()), to_dims(tensor.sizes())};
        for (const std::int64_t size : tensor.sizes()) def.dims->push_back({size, {}});
        for (const DynamicSize& size : sizes) {
            if (size.dim < 0 && size.name.empty()) continue;
            if (element >= 0 && size.element >= 0 && size.element != element) continue;
            if (size.dim >= tensor.dim() || size.dim < -tensor.dim())
                throw Error(ErrorKind::Usage, concat("dynamic '", argument, ":", size.dim, "' is out of its ",
                                                     tensor.dim(), " dimensions"));
            const auto d = static_cast<std::size_t>(size.dim < 0 ? size.dim + tensor.dim() : size.dim);
            const std::string name = size.name.empty() ? concat(value.name, "_dynamic_axes_", d) : size.name;
            const Examples chosen = examples_of(name, tensor.sizes()[d]);
            for (std::size_t c = 0; c < kChoices; ++c) examples[c][d] = chosen[c];
            (*def.dims)[d] = {-1, name};
        }
        defs.push_back(std::move(def));
        return exporter_.tensor_operand(std::move(value), std::move(examples));
    }

    // Two sizes to try the model with, no two names alike. A smaller second one stays within tables of positions; one
    // that divides keeps windows whole.
    Examples examples_of(const std::string& name, std::int64_t size) {
        if (const auto known = chosen_.find(name); known != chosen_.end()) return known->second;
        const auto n = static_cast<std::int64_t>(chosen_.size());
        Examples examples{std::max<std::int64_t>(size, 2), 0};
        if (size >= 16 && size % 2 == 0 && n == 0)
            examples[1] = size / 2;
        else if (size >= 16)
            examples[1] = size - 1 - n;
        else
            examples[1] = examples[0] * (n + 2);
        while (size_names.contains(examples)) examples[1] += size >= 16 ? -1 : examples[0];
        size_names[examples] = name;
        chosen_[name] = examples;
        return examples;
    }

    Exporter& exporter_;
    const WriteOptions& options_;
    std::vector<const DynamicSize*> used_;
    std::vector<std::string> names_;
    std::map<std::string, Examples> chosen_;
};

Ptr<ir::Graph> prepared(const WriteRequest& request) {
    Ptr<ir::Graph> graph = request.graph->copy();
    passes::PassManager manager;
    manager.keep_snapshots(false);
    manager.run(*graph, passes::pipeline_of(kPasses), {request.module});
    return graph;
}

void write(const WriteRequest& request, const WrittenFiles& to) {
    const WriteOptions options = parse_options(request.options);
    const GradModeScope no_grad(false);
    const Ptr<ir::Graph> graph = prepared(request);
    Exporter exporter(options.exporting, request.module);
    const auto& values = graph->inputs();
    const std::size_t first = !values.empty() && values[0]->type()->kind() == TypeKind::Class ? 1 : 0;
    const std::vector<IValue> examples =
        request.is_traced ? runtime::traced_inputs(request.examples) : request.examples;
    if (values.size() - first != examples.size()) {
        throw Error(
            ErrorKind::Usage,
            concat("the model takes ", values.size() - first, " inputs, and ", examples.size(), " examples are given"),
            {.hint = "give an input for each, as --input or --inputs"});
    }
    Inputs inputs(exporter, options);
    for (std::size_t i = 0; i < examples.size(); ++i) inputs.add(*values[first + i], examples[i], i);
    inputs.check();
    const ModelDef model = exporter.run(*graph, inputs.operands, inputs.defs, inputs.size_names);
    SerializeOptions serializing;
    if (options.is_external) serializing.most_inline = 0;
    write_model(model, to, serializing);
}

}  // namespace

FormatWriter onnx_writer() { return {"ONNX", {".onnx"}, write}; }

}  // namespace loupe::onnx_export
