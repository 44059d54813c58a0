// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_writer.h"

#include <algorithm>
#include <set>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/exported/dynamic_sizes.h"
#include "core/formats/exported/program_parts.h"
#include "core/formats/exported/program_rewriter.h"
#include "core/formats/exported/program_tracer.h"
#include "core/formats/exported/tree_spec_writer.h"
#include "core/formats/exported/written_archive.h"
#include "core/passes/fake_run.h"

namespace loupe {
namespace exported {
namespace {

constexpr const char* kTorchVersion = "2.15.0";
constexpr int kSchemaMinor = 20;

Json named(const std::string& name) { return Json{{"name", name}}; }

std::string underscored(std::string name) {
    std::ranges::replace(name, '.', '_');
    return name;
}

class ProgramWriter {
  public:
    explicit ProgramWriter(const WriteRequest& request)
        : request_(request),
          parts_(dynamic_cast<const ProgramParts*>(request.parts.get())),
          function_("forward", request.graph),
          takes_self_(!request.graph->inputs().empty() &&
                      request.graph->inputs()[0]->type()->kind() == TypeKind::Class),
          tracer_(request.module) {}

    WrittenProgram write() {
        add_model_tensors();
        sizes_ = read_dynamic_sizes(request_, argument_names(), parts_);
        for (const auto& [name, hint] : sizes_.hints) tracer_.values().add_symbol(name, hint, sizes_.ranges[name]);
        std::vector<IValue> inputs = make_inputs();
        const IValue output = tracer_.run(function_, std::move(inputs));
        std::vector<IValue> leaves;
        const std::string out_spec = tree_text(output, leaves);
        Json outputs = Json::array();
        Json graph = tracer_.graph().finish(Json::array(), leaves);
        finish_inputs(graph);
        for (const Json& each : graph["outputs"]) outputs.push_back(Json{{"user_output", {{"arg", each}}}});
        for (const auto& [name, needs] : requires_grad_) graph["tensor_values"][name]["requires_grad"] = needs;
        WrittenProgram out;
        out.program = program_json(std::move(graph), std::move(outputs), out_spec);
        out.weights = weights_;
        out.constants = constants_;
        out.sample_inputs = sample_inputs();
        return out;
    }

  private:
    // One an argument.
    std::vector<std::string> argument_names() const {
        std::vector<std::string> names = request_.names;
        names.resize(std::min(names.size(), request_.examples.size()));
        if (!names.empty()) return names;
        for (std::size_t i = takes_self_ ? 1 : 0; i < request_.graph->inputs().size(); ++i) {
            const ir::Value* input = request_.graph->inputs()[i];
            std::string name = input->has_name() ? input->debug_name() : concat("input_", names.size());
            if (const auto dot = name.find('.'); dot != std::string::npos) name.resize(dot);
            names.push_back(std::move(name));
        }
        return names;
    }

    // Parameters and buffers are inputs of the graph, each object once; the state_dict has all names.
    void add_model_tensors() {
        nn::Module& module = *request_.module;
        std::set<std::string> saved;
        const auto state = module.state_dict({}, true);
        for (const auto& [name, tensor] : state) saved.insert(name);
        const auto parameters = module.named_parameters();
        std::set<std::string> are_parameters;
        for (const auto& [name, tensor] : module.named_parameters({.remove_duplicate = false}))
            are_parameters.insert(name);
        for (const auto& [name, tensor] : state) {
            const bool is_parameter = are_parameters.contains(name);
            weights_.push_back({name, tensor, is_parameter, is_parameter && requires_grad(tensor)});
        }
        for (const auto& [name, tensor] : parameters) {
            const std::string own = tracer_.graph().fresh_name(concat("p_", underscored(name)));
            tracer_.add_model_tensor(tensor, own);
            requires_grad_.emplace_back(own, requires_grad(tensor));
            add_input(own, "parameter", Json{{"arg", named(own)}, {"parameter_name", name}});
        }
        for (const auto& [name, tensor] : module.named_buffers()) {
            if (tracer_.has_model_tensor(tensor)) continue;
            const std::string own = tracer_.graph().fresh_name(concat("b_", underscored(name)));
            tracer_.add_model_tensor(tensor, own);
            const bool is_saved = saved.contains(name);
            if (!is_saved) constants_.push_back({name, tensor});
            add_input(own, "buffer", Json{{"arg", named(own)}, {"buffer_name", name}, {"persistent", is_saved}});
        }
    }

    void add_input(const std::string& name, const char* kind, Json spec) {
        graph_inputs_.push_back(Json{{"as_tensor", named(name)}});
        specs_.push_back(Json{{kind, std::move(spec)}});
    }

    // Constants of the graph stand before the user's inputs.
    void finish_inputs(Json& graph) {
        for (const LiftedConstant& each : tracer_.constants()) {
            if (!tracer_.graph().is_used(each.name)) {  // a number, or only read while it was traced
                graph["tensor_values"].erase(each.name);
                continue;
            }
            add_input(each.name, "tensor_constant",
                      Json{{"arg", named(each.name)}, {"tensor_constant_name", each.target}});
            constants_.push_back({each.target, each.tensor});
        }
        for (Json& each : user_inputs_) graph_inputs_.push_back(std::move(each));
        for (Json& each : user_specs_) specs_.push_back(std::move(each));
        graph["inputs"] = std::move(graph_inputs_);
    }

    // --- the user's inputs ---

    static bool holds_tensor(const IValue& value) {
        bool found = false;
        visit_tensors(value, [&](const Tensor&) { found = true; });
        return found;
    }

    // Arguments that the program that was read has as constants stand between the others.
    void add_constants_of_parts(std::size_t& leaf) {
        for (; parts_ != nullptr && leaf < parts_->leaves.size(); ++leaf) {
            if (parts_->leaves[leaf].kind != InputSpec::Kind::Fixed) return;
            add_constant(parts_->leaves[leaf].name, parts_->values[leaf]);
        }
    }

    std::vector<IValue> make_inputs() {
        const std::vector<std::string> names = argument_names();
        const std::size_t wanted = request_.graph->inputs().size() - (takes_self_ ? 1 : 0);
        if (request_.examples.size() < std::max(names.size(), wanted))
            throw Error(ErrorKind::Usage,
                        concat("a program of torch.export is traced with inputs: forward takes ",
                               std::max(names.size(), wanted), ", there are ", request_.examples.size()),
                        {.hint = "give them with --input or --inputs"});
        const bool is_traced = names.size() > wanted;
        std::vector<IValue> inputs;
        std::size_t leaf = 0;
        for (std::size_t i = 0; i < names.size(); ++i) {
            add_constants_of_parts(leaf);
            ++leaf;
            tensors_ = 0;
            IValue input = make_input(request_.examples[i], names[i], i);
            if (!is_traced || holds_tensor(request_.examples[i])) inputs.push_back(std::move(input));
        }
        add_constants_of_parts(leaf);
        return inputs;
    }

    void add_constant(const std::string& name, const Json& value) {
        user_inputs_.push_back(value);
        user_specs_.push_back(name.empty() ? Json{{"user_input", {{"arg", value}}}}
                                           : Json{{"constant_input", {{"name", name}, {"value", value}}}});
    }

    IValue make_input(const IValue& example, const std::string& name, std::size_t argument) {
        if (example.is_tensor()) return make_tensor_input(example.to_tensor(), name, argument);
        if (example.is_list()) {
            std::vector<IValue> elements;
            for (const IValue& each : example.to_list().elements)
                elements.push_back(make_input(each, concat(name, "_", elements.size()), argument));
            return make_ptr<ListObject>(example.to_list().element_type, std::move(elements));
        }
        if (example.is_tuple()) {
            std::vector<IValue> elements;
            for (const IValue& each : example.to_tuple().elements)
                elements.push_back(make_input(each, concat(name, "_", elements.size()), argument));
            return make_ptr<TupleObject>(std::move(elements), example.to_tuple().type);
        }
        if (example.is_dict()) {
            const DictObject& dict = example.to_dict();
            const auto copy = make_ptr<DictObject>(dict.key_type, dict.value_type);
            for (const auto& [key, each] : dict.entries())
                copy->set(key, make_input(each, concat(name, "_", python_str(key)), argument));
            return copy;
        }
        if (const auto* value = sizes_.value_of(argument); value != nullptr && example.is_int()) {
            const auto number = make_ptr<SymbolicNumber>();
            number->expression = *value;
            number->hint = example;
            for (std::size_t s = 0; s < TracedValues::kSamples; ++s)
                number->samples.emplace_back(tracer_.values().evaluate_at(*value, s));
            const std::string own = tracer_.graph().fresh_name(name);
            tracer_.graph().bind(*number, own);
            user_inputs_.push_back(Json{{"as_sym_int", {{"as_name", own}}}});
            user_specs_.push_back(Json{{"user_input", {{"arg", user_inputs_.back()}}}});
            return IValue::other(number);
        }
        std::vector<std::string> reads;
        add_constant(tracer_.graph().fresh_name(name), tracer_.graph().argument(example, nullptr, reads));
        return example;
    }

    IValue make_tensor_input(const Tensor& example, const std::string& name, std::size_t argument) {
        const std::string own = tracer_.graph().fresh_name(name);
        const auto* sizes = sizes_.sizes_of(argument, tensors_++);
        TensorFacts& facts =
            sizes != nullptr && sizes->size() == example.sizes().size()
                ? tracer_.values().add_sized(example.dtype(), *sizes)
                : tracer_.values().add_fixed(passes::fake_tensor(example.sizes(), example.dtype(), example.strides()));
        tracer_.graph().bind(facts.tensor, own);
        requires_grad_.emplace_back(own, false);
        user_inputs_.push_back(Json{{"as_tensor", named(own)}});
        user_specs_.push_back(Json{{"user_input", {{"arg", user_inputs_.back()}}}});
        return IValue(facts.tensor);
    }

    // --- the program ---

    // Names of tuples and classes are those of the program that was read.
    std::string out_spec_of(const std::string& own) const {
        return parts_ != nullptr && !parts_->out_spec.empty() ? parts_->out_spec : own;
    }

    Json program_json(Json graph, Json outputs, const std::string& out_spec) {
        Json names = Json::array();
        for (const std::string& name : argument_names()) names.push_back(name);
        const bool has_spec = parts_ != nullptr && !parts_->in_spec.empty();
        const Json root{{"inputs", Json::array()},
                        {"outputs", Json::array()},
                        {"in_spec", has_spec ? parts_->in_spec
                                             : in_spec_text(request_.examples, argument_names(), request_.keywords)},
                        {"out_spec", out_spec_of(out_spec)},
                        {"forward_arg_names",
                         has_spec && !parts_->forward_arg_names.is_null() ? parts_->forward_arg_names : names}};
        Json calls = Json::array({Json{{"fqn", ""}, {"signature", root}}});
        for (const auto& [path, module] : request_.module->named_modules()) {
            if (!path.empty()) calls.push_back(Json{{"fqn", path}, {"signature", nullptr}});
        }
        Json ranges = Json::object();
        for (const auto& [name, symbol] : tracer_.values().symbols()) {
            const auto bound = [](const std::optional<std::int64_t>& value) {
                return value ? Json(*value) : Json(nullptr);
            };
            ranges[name] = Json{{"min_val", bound(symbol.range.least)}, {"max_val", bound(symbol.range.most)}};
        }
        const Json graph_module{
            {"graph", std::move(graph)},
            {"signature", {{"input_specs", std::move(specs_)}, {"output_specs", std::move(outputs)}}},
            {"module_call_graph", std::move(calls)},
            {"metadata", Json::object()},
            {"treespec_namedtuple_fields",
             parts_ != nullptr && parts_->named_tuples.is_object() ? parts_->named_tuples : Json::object()}};
        return Json{{"graph_module", graph_module},
                    {"opset_version", {{"aten", 10}}},
                    {"range_constraints", std::move(ranges)},
                    {"schema_version", {{"major", 8}, {"minor", kSchemaMinor}}},
                    {"verifiers", Json::array({"TRAINING"})},
                    {"torch_version", kTorchVersion},
                    {"guards_code", Json::array()}};
    }

    IValue sample_inputs() const {
        if (parts_ != nullptr) return parts_->sample_inputs;
        const std::vector<std::string> names = argument_names();
        std::vector<IValue> args;
        const auto keywords = make_ptr<DictObject>(types::string(), types::any());
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i + request_.keywords < names.size())
                args.push_back(request_.examples[i]);
            else
                keywords->set(IValue(names[i]), request_.examples[i]);
        }
        return make_ptr<TupleObject>(std::vector<IValue>{make_ptr<TupleObject>(std::move(args)), keywords});
    }

    const WriteRequest& request_;
    const ProgramParts* parts_;
    ir::ScriptFunction function_;
    bool takes_self_;
    ProgramTracer tracer_;
    DynamicSizes sizes_;
    std::size_t tensors_ = 0;  // of the argument that is made now
    std::vector<WrittenTensor> weights_;
    std::vector<WrittenTensor> constants_;
    std::vector<std::pair<std::string, bool>> requires_grad_;
    Json graph_inputs_ = Json::array();
    Json specs_ = Json::array();
    Json user_inputs_ = Json::array();
    Json user_specs_ = Json::array();
};

}  // namespace
}  // namespace exported

void write_exported_program(const WriteRequest& request, const FileTarget& target) {
    const auto* parts = dynamic_cast<const exported::ProgramParts*>(request.parts.get());
    const bool is_as_read = request.is_as_read && parts != nullptr && request.options.empty();
    if (is_as_read && exported::rewrite_program(*parts, request.module, target)) return;
    exported::write_program_archive(exported::ProgramWriter(request).write(), target);
}

}  // namespace loupe
