// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/exported_reader.h"

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <optional>
#include <unordered_set>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/huge_pages.h"
#include "core/dispatch/autocast.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/exported/compiled_package.h"
#include "core/formats/exported/module_tree.h"
#include "core/formats/exported/node_emitter.h"
#include "core/formats/exported/program_archive.h"
#include "core/formats/exported/program_parts.h"
#include "core/formats/exported/program_set.h"
#include "core/formats/exported/program_signature.h"
#include "core/formats/exported/stack_trace.h"
#include "core/formats/exported/symbols.h"
#include "core/formats/exported/tree_spec.h"
#include "core/ir/verify.h"

namespace loupe {
namespace exported {
namespace {

namespace prim = ir::prim;
constexpr std::int64_t kOldestSchema = 7;
constexpr std::int64_t kNewestSchema = 8;

class ProgramReader {
  public:
    explicit ProgramReader(const Ptr<MappedFile>& file, std::string_view program = {})
        : file_(file),
          archive_(read_program_archive(file, program)),
          module_json_(member(archive_.program(), "graph_module", "program")),
          graph_json_(member(module_json_, "graph", "program")),
          inputs_(read_input_specs(member(module_json_, "signature", "program"))),
          outputs_(read_output_specs(member(module_json_, "signature", "program"))) {
        for (const auto& [name, value] : archive_.constants) constants_.emplace(name, &value);
    }

    ModelFile read(const Ptr<ir::CompilationUnit>& unit) {
        ModelFile model;
        check_version(model);
        read_tree_specs();
        scan(graph_json_);
        sources_.finish();
        add_tensors();
        model.unit = unit;
        model.module = modules_.build(*model.unit, is_training_);
        add_forward(*model.unit, *model.module);
        guard_inputs(*model.module);
        if (has_autocast_) restore_autocast_after_forward(*model.module);
        model.examples = example_inputs();
        model.sources = sources_.sources();
        model.sources.insert(model.sources.end(), archive_.compiled_sources.begin(), archive_.compiled_sources.end());
        model.owner = parts();
        return model;
    }

  private:
    void check_version(ModelFile& model) const {
        const JsonValue& version = member(archive_.program(), "schema_version", "program");
        const std::int64_t major = int_of(member(version, "major", "schema version"), "schema version");
        const std::int64_t minor = int_of(member(version, "minor", "schema version"), "schema version");
        if (major < kOldestSchema || major > kNewestSchema) {
            throw Error(ErrorKind::Unsupported, concat("torch.export schema ", major, ".", minor, "; versions ",
                                                       kOldestSchema, " and ", kNewestSchema, " are supported"));
        }
        model.format = concat("torch.export program, schema ", major, ".", minor);
        if (const JsonValue* torch = find_member(archive_.program(), "torch_version", "program");
            torch && torch->is_string())
            model.format += concat(", PyTorch ", torch->text());
        for (const std::string& note : archive_.notes) model.format += concat("; ", note);
    }

    // To write the program again.
    Ptr<RefCounted> parts() const {
        auto parts = make_ptr<ProgramParts>();
        parts->file = file_;
        parts->schema =
            int_of(member(member(archive_.program(), "schema_version", "program"), "major", "schema version"),
                   "schema version");
        if (root_signature_ != nullptr) {
            parts->in_spec = text_member(*root_signature_, "in_spec", "module call");
            parts->out_spec = text_member(*root_signature_, "out_spec", "module call");
            if (const JsonValue* names = find_member(*root_signature_, "forward_arg_names", "module call"))
                parts->forward_arg_names = written_json(*names);
        }
        if (const JsonValue* names = find_member(module_json_, "treespec_namedtuple_fields", "program"))
            parts->named_tuples = written_json(*names);
        for (const InputSpec& input : inputs_) {
            if (input.kind != InputSpec::Kind::User && input.kind != InputSpec::Kind::Fixed) continue;
            parts->leaves.push_back(input);
            parts->leaves.back().value = nullptr;
            parts->values.push_back(input.kind == InputSpec::Kind::Fixed ? written_json(*input.value) : Json());
        }
        parts->rules = input_rules();
        parts->ranges = read_ranges(find_member(archive_.program(), "range_constraints", "program"));
        parts->sample_inputs = archive_.sample_inputs;
        return parts;
    }

    void read_tree_specs() {
        const JsonValue* named_tuples = find_member(module_json_, "treespec_namedtuple_fields", "program");
        for (const JsonValue& call : list_of(member(module_json_, "module_call_graph", "program"), "module calls")) {
            const std::string path(text_member(call, "fqn", "module call"));
            modules_.note_module(path, {});
            const JsonValue* signature = find_member(call, "signature", "module call");
            if (!path.empty() || signature == nullptr) continue;
            root_signature_ = signature;
            in_spec_ = parse_tree_spec(text_member(*signature, "in_spec", "module call"), named_tuples);
            out_spec_ = parse_tree_spec(text_member(*signature, "out_spec", "module call"), named_tuples);
        }
        modules_.note_module({}, {});
    }

    // Many nodes have the same texts.
    void note_modules(std::string_view module_stack) {
        if (!seen_.insert(module_stack).second) return;
        for (const ModuleCall& call : parse_module_stack(module_stack))
            modules_.note_module(call.path, call.class_name);
    }
    void note_lines(std::string_view stack_trace) {
        if (seen_.insert(stack_trace).second) sources_.note(parse_stack_trace(stack_trace));
    }

    // Modules, lines and modes that the nodes name, before any node is made.
    void scan(const JsonValue& graph) {
        for (const JsonValue& node : list_of(member(graph, "nodes", "graph"), "nodes of a graph")) {
            if (const JsonValue* metadata = find_member(node, "metadata", "node")) {
                if (const JsonValue* stack = find_member(*metadata, "nn_module_stack", "metadata of a node")) {
                    note_modules(text_of(*stack, "module stack"));
                }
                if (const JsonValue* trace = find_member(*metadata, "stack_trace", "metadata of a node"))
                    note_lines(text_of(*trace, "stack trace"));
            }
            if (text_member(node, "target", "node").ends_with(".wrap_with_autocast")) has_autocast_ = true;
            for (const JsonValue& input : list_of(member(node, "inputs", "node"), "inputs of a node")) {
                const auto [kind, value] = union_of(member(input, "arg", "input of a node"), "input of a node");
                if (kind == "as_graph") scan(member(value, "graph", "input of a node"));
                const std::string_view name = text_member(input, "name", "input of a node");
                if ((name == "train" || name == "training") && kind == "as_bool" && bool_of(value, name))
                    is_training_ = true;
            }
        }
    }

    // --- tensors ---

    const IValue* constant(const std::string& name) const {
        const auto found = constants_.find(name);
        return found == constants_.end() ? nullptr : found->second;
    }

    // Two names of one tensor in the state_dict are one parameter, whichever of them the graph reads.
    void add_tensors() {
        std::map<std::string, const InputSpec*> parameters;
        for (const InputSpec& input : inputs_) {
            if (input.kind == InputSpec::Kind::Parameter) parameters.emplace(input.target, &input);
        }
        std::vector<Tensor> tied;
        std::map<std::pair<const Storage*, std::int64_t>, std::vector<std::size_t>> by_place;
        for (const auto& [name, tensor] : archive_.weights) {
            const auto found = parameters.find(name);
            if (found == parameters.end()) continue;
            if (is_differentiable(tensor.dtype())) set_requires_grad(tensor, needs_gradient(*found->second));
            by_place[{tensor.storage().get(), tensor.impl()->offset}].push_back(tied.size());
            tied.push_back(tensor);
        }
        for (const auto& [name, tensor] : archive_.weights) {
            const Tensor* same = nullptr;
            for (const std::size_t each : by_place[{tensor.storage().get(), tensor.impl()->offset}]) {
                if (same == nullptr && is_same_view(tied[each], tensor)) same = &tied[each];
            }
            if (same != nullptr)
                modules_.add_tensor(name, *same, ModuleTree::TensorKind::Parameter);
            else
                modules_.add_tensor(name, tensor, ModuleTree::TensorKind::Buffer);
        }
        for (const InputSpec& input : inputs_) {
            const bool is_saved = input.kind == InputSpec::Kind::Buffer && input.is_persistent;
            const bool is_tensor = input.kind == InputSpec::Kind::Parameter || input.kind == InputSpec::Kind::Buffer ||
                                   input.kind == InputSpec::Kind::Constant;
            if (!is_tensor || modules_.has_tensor(input.target)) continue;
            const IValue* value = constant(input.target);
            if (value == nullptr || !value->is_tensor())
                throw_file_error(concat("no values for ", quote_name(input.target)));
            modules_.add_tensor(input.target, value->to_tensor(),
                                is_saved ? ModuleTree::TensorKind::Buffer : ModuleTree::TensorKind::UnsavedBuffer);
        }
    }

    static bool is_same_view(const Tensor& a, const Tensor& b) {
        return a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes()) &&
               std::ranges::equal(a.strides(), b.strides());
    }

    bool needs_gradient(const InputSpec& input) const {
        const JsonValue* meta = tensor_meta(input.name);
        const JsonValue* needed = meta != nullptr ? find_member(*meta, "requires_grad", "tensor") : nullptr;
        return needed == nullptr || bool_of(*needed, "tensor");
    }

    const JsonValue* tensor_meta(const std::string& name) const {
        const JsonValue* values = find_member(graph_json_, "tensor_values", "graph");
        return values != nullptr ? find_member(*values, name.c_str(), "tensor values") : nullptr;
    }

    // --- the graph ---

    void add_forward(ir::CompilationUnit& unit, nn::Module& module) {
        const auto graph = make_ptr<ir::Graph>();
        NodeEmitter emitter(*graph, sources_, modules_);
        // Given back at once: names one by one take as long to free as to note.
        std::pmr::monotonic_buffer_resource memory(huge_page_resource());
        Names names(&memory);
        const std::size_t count = list_of(member(graph_json_, "nodes", "graph"), "nodes of a graph").size();
        names.reserve(count + inputs_.size());
        graph->reserve_names(count + inputs_.size());
        std::map<std::string, ir::Value*> owners{{std::string(), graph->add_input("self", module.type())}};
        std::map<std::string, ir::Value*> tensors;
        for (const InputSpec& input : inputs_) {
            if (input.kind == InputSpec::Kind::User) bind_user_input(*graph, input, names);
        }
        for (const InputSpec& input : inputs_) {
            ir::Value* value = nullptr;
            switch (input.kind) {
                case InputSpec::Kind::User:
                    continue;
                case InputSpec::Kind::Fixed:
                    if (input.name.empty()) continue;
                    value = emitter.value_of(*input.value, nullptr, names);
                    break;
                case InputSpec::Kind::Object:
                case InputSpec::Kind::Token:
                    value = graph->insert_constant(IValue());
                    break;
                default:
                    value = attribute(*graph, module, input.target, owners, tensors);
                    break;
            }
            names[input.name] = value;
        }
        emitter.emit_nodes(member(graph_json_, "nodes", "graph"), names);
        graph->set_current_scope({});
        graph->set_current_range({});
        add_outputs(*graph, emitter, names, tensors);
        check(*graph);
        unit.add_method(*module.type(), make_ptr<ir::ScriptFunction>(concat(module.type()->name(), ".forward"), graph));
    }

    static void check(const ir::Graph& graph) {
        try {
            ir::verify(graph);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Internal) throw;
            throw_file_error(concat("the program: ", error.message()));
        }
    }

    static void bind_user_input(ir::Graph& graph, const InputSpec& input, Names& names) {
        const std::string_view kind = union_of(*input.value, "input").kind;
        const TypePtr type = kind == "as_sym_int"     ? types::integer()
                             : kind == "as_sym_float" ? types::floating()
                             : kind == "as_sym_bool"  ? types::boolean()
                             : kind == "as_tensor"    ? types::tensor()
                                                      : types::any();
        if (names.contains(input.name)) throw_file_error(concat("two inputs are named ", quote_name(input.name)));
        const bool is_plain = input.name.find_first_not_of("0123456789") != std::string::npos;
        names[input.name] = graph.add_input(is_plain ? input.name : concat("input_", input.name), type);
    }

    // Reads of modules and tensors stand first, each once.
    static ir::Value* attribute(ir::Graph& graph, const nn::Module& root, const std::string& path,
                                std::map<std::string, ir::Value*>& owners, std::map<std::string, ir::Value*>& tensors) {
        if (const auto found = tensors.find(path); found != tensors.end()) return found->second;
        const auto dot = path.rfind('.');
        const std::string parent = dot == std::string::npos ? std::string() : path.substr(0, dot);
        graph.set_current_scope(parent);
        ir::Value* owner = module_value(graph, root, parent, owners);
        ir::Value* value = read_attribute(graph, owner, dot == std::string::npos ? path : path.substr(dot + 1));
        graph.set_current_scope({});
        return tensors[path] = value;
    }

    static ir::Value* module_value(ir::Graph& graph, const nn::Module& root, const std::string& path,
                                   std::map<std::string, ir::Value*>& owners) {
        if (const auto found = owners.find(path); found != owners.end()) return found->second;
        const auto dot = path.rfind('.');
        const std::string parent = dot == std::string::npos ? std::string() : path.substr(0, dot);
        ir::Value* owner = module_value(graph, root, parent, owners);
        return owners[path] = read_attribute(graph, owner, dot == std::string::npos ? path : path.substr(dot + 1));
    }

    static ir::Value* read_attribute(ir::Graph& graph, ir::Value* owner, const std::string& name) {
        const auto* type = owner->type()->as<ClassType>();
        const auto slot = type != nullptr ? type->find_attribute(name) : std::nullopt;
        if (!slot) throw_file_error(concat("the program has no ", quote_name(name)));
        ir::Node* node = graph.insert(graph.create(prim::GetAttr, {owner}));
        node->set_s(ir::attr::name, name);
        ir::Value* value = node->output()->set_type(type->attributes()[*slot].type);
        if (name.find_first_not_of("0123456789") != std::string::npos && name.find('.') == std::string::npos)
            value->set_name(name);
        return value;
    }

    void add_outputs(ir::Graph& graph, NodeEmitter& emitter, Names& names,
                     const std::map<std::string, ir::Value*>& tensors) {
        std::vector<ir::Value*> leaves;
        const auto value_named = [&](const std::string& name) {
            const auto found = names.find(name);
            if (found == names.end()) throw_file_error(concat("the program gives no ", quote_name(name)));
            return found->second;
        };
        for (const OutputSpec& output : outputs_) {
            switch (output.kind) {
                case OutputSpec::Kind::User:
                    leaves.push_back(output.value != nullptr ? emitter.value_of(*output.value, nullptr, names)
                                                             : value_named(output.name));
                    break;
                case OutputSpec::Kind::BufferMutation:
                case OutputSpec::Kind::ParameterMutation: {
                    const auto target = tensors.find(output.target);
                    if (target == tensors.end())
                        throw_file_error(concat("the program writes ", quote_name(output.target), ", which it lacks"));
                    write_back(graph, target->second, value_named(output.name));
                    break;
                }
                case OutputSpec::Kind::InputMutation:
                    write_back(graph, value_named(output.target), value_named(output.name));
                    break;
                default:
                    break;
            }
        }
        std::size_t next = 0;
        if (!out_spec_ || leaf_count(*out_spec_) != leaves.size()) {
            if (leaves.size() == 1) return void(graph.add_output(leaves[0]));
            out_spec_ = TreeSpec{TreeSpec::Kind::Tuple};
            out_spec_->children.resize(leaves.size());
        }
        graph.add_output(build_value(graph, *out_spec_, leaves, next));
    }

    static void write_back(ir::Graph& graph, ir::Value* target, ir::Value* value) {
        if (target == value) return;
        if (target->type()->kind() != TypeKind::Tensor || value->type()->kind() != TypeKind::Tensor)
            throw_file_error("the program writes what is no tensor");
        graph.insert_op(ir::Symbol::intern("aten::copy_"), {target, value, graph.insert_constant(IValue(false))});
    }

    // --- inputs ---

    // Sizes other than those that the program was exported for are errors in words, not wrong results.
    void guard_inputs(nn::Module& module) const {
        const auto rules = std::make_shared<const std::vector<InputRule>>(input_rules());
        if (std::ranges::none_of(*rules, [](const InputRule& rule) { return rule.sizes || rule.value; })) return;
        const auto ranges = std::make_shared<const std::map<std::string, SymbolRange, std::less<>>>(
            read_ranges(find_member(archive_.program(), "range_constraints", "program")));
        module.register_forward_pre_hook(
            [rules, ranges](nn::Module&, const std::vector<IValue>& inputs) -> std::optional<std::vector<IValue>> {
                check_inputs(*rules, *ranges, inputs);
                return std::nullopt;
            });
    }

    // One a user's input.
    std::vector<InputRule> input_rules() const {
        std::vector<InputRule> rules;
        for (const InputSpec& input : inputs_) {
            if (input.kind != InputSpec::Kind::User) continue;
            InputRule& rule = rules.emplace_back();
            rule.name = input.name;
            if (const JsonValue* meta = tensor_meta(input.name))
                rule.sizes = read_sizes(member(*meta, "sizes", "input"));
            rule.value = whole_number(input.name);
        }
        return rules;
    }

    // A run that fails inside a region with autocast leaves it on.
    static void restore_autocast_after_forward(nn::Module& module) {
        const auto before = std::make_shared<std::optional<AutocastSettings>>();
        module.register_forward_pre_hook(
            [before](nn::Module&, const std::vector<IValue>&) -> std::optional<std::vector<IValue>> {
                *before = autocast_settings();
                return std::nullopt;
            });
        module.register_always_called_forward_hook(
            [before](nn::Module&, const CallArguments&, const IValue&) -> std::optional<IValue> {
                if (*before) set_autocast_settings(**before);
                before->reset();
                return std::nullopt;
            });
    }

    std::optional<SymbolExpression> whole_number(const std::string& name) const {
        const JsonValue* values = find_member(graph_json_, "sym_int_values", "graph");
        const JsonValue* value = values != nullptr ? find_member(*values, name.c_str(), "sizes") : nullptr;
        if (value == nullptr) return std::nullopt;
        const auto [kind, inner] = union_of(*value, "size");
        if (kind != "as_expr") return std::nullopt;
        return parse_symbol_expression(text_member(inner, "expr_str", "size"));
    }

    // The inputs that the program was exported with; nullopt when the file has none that fit.
    std::optional<std::vector<IValue>> example_inputs() const {
        if (!in_spec_ || !archive_.sample_inputs.is_tuple()) return std::nullopt;
        const auto leaves = leaves_of(*in_spec_, archive_.sample_inputs);
        if (!leaves) return std::nullopt;
        std::vector<IValue> examples;
        std::size_t next = 0;
        for (const InputSpec& input : inputs_) {
            const bool is_leaf = input.kind == InputSpec::Kind::User || input.kind == InputSpec::Kind::Fixed;
            if (!is_leaf) continue;
            if (next >= leaves->size()) return std::nullopt;
            const IValue& leaf = (*leaves)[next++];
            if (input.kind == InputSpec::Kind::Fixed) continue;
            const std::string_view kind = union_of(*input.value, "input").kind;
            const bool fits = kind == "as_tensor" ? leaf.is_tensor() : leaf.is_number();
            if (!fits) return std::nullopt;
            examples.push_back(leaf);
        }
        return next == leaves->size() ? std::optional(std::move(examples)) : std::nullopt;
    }

    Ptr<MappedFile> file_;
    ProgramArchive archive_;
    std::map<std::string_view, const IValue*> constants_;
    const JsonValue& module_json_;
    const JsonValue& graph_json_;
    std::vector<InputSpec> inputs_;
    std::vector<OutputSpec> outputs_;
    const JsonValue* root_signature_ = nullptr;
    std::optional<TreeSpec> in_spec_;
    std::optional<TreeSpec> out_spec_;
    std::unordered_set<std::string_view> seen_;
    TraceSources sources_;
    ModuleTree modules_;
    bool is_training_ = false;
    bool has_autocast_ = false;
};

}  // namespace

std::string program_text(const Ptr<MappedFile>& file) { return program_json_text(file); }

}  // namespace exported

ModelFile read_exported_program(const Ptr<MappedFile>& file) {
    if (const ZipReader archive(file); exported::is_compiled_package(archive))
        return exported::read_compiled_package(archive);
    const auto unit = make_ptr<ir::CompilationUnit>();
    const std::vector<std::string> names = exported::programs_in(file);
    if (names.size() == 1) return exported::ProgramReader(file).read(unit);
    std::vector<exported::NamedProgram> programs;
    for (const std::string& name : names) programs.push_back({name, exported::ProgramReader(file, name).read(unit)});
    return exported::join_programs(std::move(programs), unit);
}

}  // namespace loupe
