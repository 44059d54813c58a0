// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/onnx_reader.h"

#include <climits>
#include <set>

#include "core/formats/archive/byte_reader.h"
#include "core/formats/exported/symbols.h"
#include "core/formats/file_kind.h"
#include "core/ir/verify.h"
#include "plugins/onnx/read/graph_emitter.h"
#include "plugins/onnx/read/names.h"
#include "plugins/onnx/read/types.h"
#include "plugins/onnx/read/weights.h"

namespace loupe::onnx {
namespace {

constexpr std::int64_t kNewestIr = 14;
constexpr std::int64_t kNewestOpset = 28;

bool is_onnx(const Ptr<MappedFile>& file) {
    try {
        return identify_file(file).kind == FileKind::Onnx;
    } catch (const Error&) {
        return false;
    }
}

proto::ModelProto parse(std::span<const std::byte> bytes) {
    if (bytes.size() > INT_MAX) {
        throw Error(ErrorKind::Unsupported, concat("a message of ", bytes.size(), " bytes; protobuf's end at 2 GB"),
                    {.hint = "save the model with its weights as external data"});
    }
    proto::ModelProto model;
    if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        throw_file_error("truncated or damaged: no ONNX model can be read from it");
    if (!model.has_graph()) throw_file_error("the model has no graph");
    return model;
}

class ModelReader {
  public:
    ModelReader(proto::ModelProto model, const std::filesystem::path& path) : model_(std::move(model)), files_(path) {}

    ModelFile read() {
        ModelFile file;
        check_versions();
        note_modules();
        const proto::GraphProto& graph = model_.graph();
        // Element types first: the tensors' data move out of the message.
        const auto ir = make_ptr<ir::Graph>();
        GraphEmitter emitter(*ir, model_, sources_, modules_, files_);
        emitter.note_elements(graph);
        const Weights weights(*model_.mutable_graph(), files_, modules_);
        file.unit = make_ptr<ir::CompilationUnit>();
        file.module = modules_.build(*file.unit, false);
        ir->add_input("self", file.module->type());
        Names names;
        add_inputs(*ir, weights, names);
        std::map<std::string, ir::Value*> tensors;
        weights.read_all(*ir, tensors);
        for (const auto& [name, value] : tensors) names.set(name, value);
        emitter.emit_nodes(graph.node(), Body{opsets_}, names);
        add_outputs(*ir, names);
        check(*ir);
        add_forward(*file.unit, *file.module, ir, weights);
        guard_inputs(*file.module, weights);
        file.format = description(emitter);
        file.sources = sources_.sources();
        return file;
    }

  private:
    void check_versions() {
        if (model_.ir_version() > kNewestIr) {
            throw Error(ErrorKind::Unsupported, concat("ONNX's IR version ", model_.ir_version(), "; versions up to ",
                                                       kNewestIr, " are known"));
        }
        for (const auto& set : model_.opset_import()) {
            const std::string domain = set.domain() == "ai.onnx" ? "" : set.domain();
            opsets_[domain] = set.version();
            if (domain.empty() && (set.version() > kNewestOpset || set.version() < 1)) {
                throw Error(ErrorKind::Unsupported,
                            concat("ONNX's opset ", set.version(), "; opsets 1 to ", kNewestOpset, " are known"));
            }
        }
        if (model_.opset_import_size() == 0) opsets_[""] = 1;
    }

    std::string description(const GraphEmitter& emitter) const {
        std::string text = concat("ONNX, IR ", model_.ir_version());
        for (const auto& [domain, version] : opsets_)
            text += concat(", ", domain.empty() ? std::string("opset") : quote_name(domain), " ", version);
        if (!model_.producer_name().empty()) {
            text += concat(", by ", quote_name(model_.producer_name()));
            if (!model_.producer_version().empty()) text += concat(" ", quote_name(model_.producer_version()));
        }
        if (!emitter.missing().empty()) text += concat("; unknown operators: ", join(emitter.missing(), ", "));
        return text;
    }

    // Modules and lines that the nodes name, before any node is made.
    void note_modules() {
        modules_.note_module({}, {});
        const auto note = [&](const auto& nodes) {
            for (const proto::NodeProto& node : nodes) {
                for (const exported::ModuleCall& call : module_calls(node))
                    modules_.note_module(call.path, call.class_name);
                if (const std::string* trace = metadata(node.metadata_props(), "pkg.torch.onnx.stack_trace"))
                    sources_.note(exported::parse_stack_trace(*trace));
            }
        };
        note(model_.graph().node());
        for (const auto& function : model_.functions()) note(function.node());
        sources_.finish();
    }

    void add_inputs(ir::Graph& graph, const Weights& weights, Names& names) {
        std::set<std::string> shown{"self"};
        for (const auto& input : model_.graph().input()) {
            if (weights.has(input.name())) continue;
            std::string name = value_name(input.name());
            if (name.empty()) name = concat("input_", shown.size());
            while (!shown.insert(name).second) name += "_";
            if (names.has_own(input.name()))
                throw_file_error(concat("two inputs are named ", quote_name(input.name())));
            names.set(input.name(), graph.add_input(name, type_of(input.type())));
        }
    }

    void add_outputs(ir::Graph& graph, const Names& names) {
        graph.set_current_scope({});
        graph.set_current_range({});
        std::vector<ir::Value*> outputs;
        for (const auto& output : model_.graph().output()) {
            ir::Value* value = names.find(output.name());
            if (value == nullptr) throw_file_error(concat("the model gives no ", quote_name(output.name())));
            outputs.push_back(value);
        }
        if (outputs.size() == 1) return void(graph.add_output(outputs[0]));
        std::vector<TypePtr> types;
        for (const ir::Value* value : outputs) types.push_back(value->type());
        ir::Node* tuple = graph.create(ir::prim::TupleConstruct, outputs);
        tuple->output()->set_type(types::tuple(std::move(types)));
        graph.add_output(graph.insert(tuple)->output());
    }

    // The schema says more of the inputs than the graph, so that inputs can be chosen: a file's facts steer no pass.
    void add_forward(ir::CompilationUnit& unit, nn::Module& module, const Ptr<ir::Graph>& graph,
                     const Weights& weights) const {
        const std::string name = concat(module.type()->name(), ".forward");
        FunctionSchema schema = ir::schema_of(name, *graph);
        std::size_t next = 1;
        for (const auto& input : model_.graph().input()) {
            if (!weights.has(input.name())) schema.arguments.at(next++).type = refined_type_of(input.type());
        }
        unit.add_method(*module.type(), make_ptr<ir::ScriptFunction>(name, graph, std::move(schema)));
    }

    static void check(const ir::Graph& graph) {
        try {
            ir::verify(graph);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Internal) throw;
            throw_file_error(concat("the model: ", error.message()));
        }
    }

    // Sizes other than the file's are errors in words, not wrong results.
    void guard_inputs(nn::Module& module, const Weights& weights) const {
        auto rules = std::make_shared<std::vector<exported::InputRule>>();
        bool has_rules = false;
        for (const auto& input : model_.graph().input()) {
            if (weights.has(input.name())) continue;
            const auto rule = input_rule(input.name(), input.type());
            has_rules = has_rules || rule;
            rules->push_back(rule.value_or(exported::InputRule{input.name()}));
        }
        if (!has_rules) return;
        module.register_forward_pre_hook(
            [rules](nn::Module&, const std::vector<IValue>& inputs) -> std::optional<std::vector<IValue>> {
                exported::check_inputs(*rules, {}, inputs);
                return std::nullopt;
            });
    }

    proto::ModelProto model_;
    ExternalFiles files_;
    exported::TraceSources sources_;
    exported::ModuleTree modules_;
    std::map<std::string, std::int64_t> opsets_;
};

ModelFile open_onnx(const Ptr<MappedFile>& file) { return ModelReader(parse(file->bytes()), file->path()).read(); }

}  // namespace

FormatReader onnx_format() { return {"ONNX", {".onnx"}, is_onnx, open_onnx}; }

}  // namespace loupe::onnx
