// SPDX-License-Identifier: Apache-2.0
#include "core/formats/torchscript/graph_text.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"
#include "core/ir/verify.h"

namespace loupe {
namespace {

namespace prim = ir::prim;

constexpr std::string_view kOpening = "graph(";
// Larger text is rejected.
constexpr std::size_t kLargest = 256U << 20U;

std::string_view text_of(const MappedFile& file) {
    const auto bytes = file.bytes();
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

[[noreturn]] void leave_out(const std::string& what, const char* hint) {
    throw Error(ErrorKind::Unsupported, what, {.hint = hint});
}

void check_node(const ir::Node& node) {
    if (node.kind() == prim::Constant && !node.outputs().empty()) {
        const ir::AttributeValue* value = node.find_attribute(ir::attr::value);
        const bool is_function =
            node.output()->type()->kind() == TypeKind::Function || node.has_attribute(ir::attr::name);
        if (is_function)
            leave_out(concat("calls a function that the text has only the name of: ", ir::print_node(node)),
                      "inline it first");
        if (value != nullptr && !std::holds_alternative<IValue>(*value)) {
            leave_out(concat("the text leaves out what is in ", ir::print_node(node)),
                      "only tensors of at most 10 real numbers are written out");
        }
    }
    if (node.kind() == prim::CallMethod || node.kind() == prim::GetAttr) {
        leave_out(concat("reads a module, which the text does not hold: ", ir::print_node(node)),
                  "freeze it first: --pipeline freeze");
    }
}

void check_block(const ir::Block& block) {
    for (const ir::Node* node : block.nodes()) {
        check_node(*node);
        for (std::size_t i = 0; i < node->block_count(); ++i) check_block(*node->block_at(i));
        if (node->has_attribute(ir::attr::Subgraph)) check_block(*node->g(ir::attr::Subgraph)->block());
    }
}

// self is the holder, regardless of its type; results become one.
void make_forward(ir::Graph& graph, const TypePtr& holder) {
    ir::Block* block = graph.block();
    const bool takes_self = !graph.inputs().empty() && graph.inputs()[0]->type()->kind() == TypeKind::Class;
    if (takes_self && !graph.inputs()[0]->has_uses()) block->erase_input(0);
    block->insert_input(0, "self")->set_type(holder);
    if (graph.outputs().size() == 1) return;
    std::vector<TypePtr> types;
    for (const ir::Value* output : graph.outputs()) types.push_back(output->type());
    const std::vector<ir::Value*> outputs = graph.outputs();
    ir::Node* tuple = graph.create(prim::TupleConstruct, outputs)->insert_before(graph.return_node());
    tuple->output()->set_type(make_ptr<TupleType>(std::move(types)));
    while (!graph.outputs().empty()) block->erase_output(0);
    block->add_output(tuple->output());
}

}  // namespace

bool is_graph_text(const Ptr<MappedFile>& file) { return text_of(*file).starts_with(kOpening); }

ModelFile read_graph_text(const Ptr<MappedFile>& file) {
    const std::string_view text = text_of(*file);
    if (text.size() > kLargest) throw Error(ErrorKind::File, "a graph of more than 256 MiB of text");
    const Ptr<ir::Graph> graph = ir::parse_graph(text);
    ir::verify(*graph);
    check_block(*graph->block());
    ModelFile model;
    model.unit = make_ptr<ir::CompilationUnit>();
    auto type = make_ptr<ClassType>("__torch__.GraphText", true);
    type->add_attribute("training", types::boolean());
    model.unit->add_type(type);
    make_forward(*graph, type);
    model.unit->add_method(*type, make_ptr<ir::ScriptFunction>(type->name() + ".forward", graph));
    model.module = make_ptr<nn::Module>(type);
    model.module->set_attribute("training", IValue(false));
    model.format = "graph text";
    return model;
}

}  // namespace loupe
