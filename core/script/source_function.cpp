// SPDX-License-Identifier: Apache-2.0
#include "core/script/source_function.h"

#include <memory>

#include "core/base/strings.h"
#include "core/script/compile.h"

namespace loupe::script {
namespace {

// The nodes are of the call, not of the text that they were written in.
void forget_source(ir::Node* node, const ir::SourceRange& range) {
    node->set_range(range);
    for (ir::Value* output : node->outputs()) output->set_name("");
    for (std::size_t i = 0; i < node->block_count(); ++i) {
        for (ir::Node* inner : node->block_at(i)->nodes()) forget_source(inner, range);
    }
}

}  // namespace

SourceFunction::SourceFunction(std::string_view schema, std::string_view body)
    : schema_(parse_schema(schema)), body_(body) {}

std::string SourceFunction::source() const {
    std::string out = "def f(";
    for (const Argument& argument : schema_.arguments) {
        out += concat(&argument == schema_.arguments.data() ? "" : ", ", argument.name, ": ",
                      argument.type->annotation_str());
    }
    return concat(out, ") -> ", schema_.returns.front().type->annotation_str(), ":\n", body_);
}

const ir::Graph& SourceFunction::graph() const {
    std::call_once(once_, [this] {
        unit_ = make_ptr<ir::CompilationUnit>();
        define(*unit_, std::make_shared<const ir::Source>(source()), {});
        graph_ = unit_->find_function("f")->graph();
    });
    return *graph_;
}

ir::Value* SourceFunction::insert(Builder& builder, std::span<ir::Value* const> inputs, Range range) const {
    const ir::Graph& body = graph();
    ir::ValueMap map;
    for (std::size_t i = 0; i < inputs.size(); ++i) map.emplace(body.inputs()[i], inputs[i]);
    ir::Node* before = builder.graph().insert_point()->prev();
    copy_nodes_before(builder.graph().insert_point(), *body.block(), map);
    for (ir::Node* node = before->next(); node != builder.graph().insert_point(); node = node->next()) {
        forget_source(node, builder.place(range));
    }
    return map.at(body.outputs().front());
}

}  // namespace loupe::script
