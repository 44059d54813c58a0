// SPDX-License-Identifier: Apache-2.0
#pragma once
// Branches and loops as ONNX's If and Loop. One that is decided when the file is written becomes the nodes that run.

#include <vector>

#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {

class ControlFlow {
  public:
    explicit ControlFlow(Exporter& exporter) : exporter_(exporter), b_(exporter.builder()) {}

    // prim::If or prim::Loop.
    void visit(const ir::Node& node);

  private:
    // What the two branches, or an iteration and the one before, agree on.
    struct Flow {
        Operand::Kind kind = Operand::Kind::Constant;
        ScalarType dtype = ScalarType::Float32;
        std::optional<std::array<Dims, kChoices>> sizes = {};
        IValue constant = {};
    };
    struct Branch {
        GraphDef graph;
        Operands results;
    };

    struct Round;

    void visit_if(const ir::Node& node);
    Branch write_branch(const ir::Block& block);
    void visit_loop(const ir::Node& node);
    void unroll(const ir::Node& node, std::int64_t trips);
    // is_grown: of which values that go round the sizes differ. False: more of them do than was thought.
    bool write_loop(const ir::Node& node, std::vector<bool>& is_grown);
    Round begin_round(const ir::Node& node, const std::vector<ListState*>& lists);
    void bind_body(const ir::Block& body, const Round& round, const std::vector<ListState*>& lists,
                   const std::vector<bool>& is_grown);
    void close_body(const ir::Block& body, Round& round, const std::vector<ListState*>& lists,
                    std::vector<bool>& is_grown);
    OnnxValue sequence_of(const ListState& list);
    std::vector<ListState*> grown_lists(const ir::Node& node);

    void begin_graph(const std::string& name);
    GraphDef end_graph();
    // An output of the open graph, which must come from a node of its own.
    void add_output(const OnnxValue& value, ScalarType dtype);
    static std::optional<Flow> joined(const Operand& a, const Operand& b);
    Operand operand_of(const Flow& flow, OnnxValue value);

    Exporter& exporter_;
    Builder& b_;
};

}  // namespace loupe::onnx_export
