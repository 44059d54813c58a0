// SPDX-License-Identifier: Apache-2.0
// Every operator that the fuser can compute in a loop over elements is let into groups, or stands in a list with the
// reason; every operator that is let in can be fused.
#include <QtTest>

#include <map>

#include "core/base/error.h"
#include "core/dispatch/registry.h"
#include "core/passes/pass_manager.h"
#include "tests/runtime/fuser_checks.h"

using namespace loupe;
using namespace loupe::test;

namespace {

// The operator and something behind it.
Ptr<ir::Graph> graph_of(const Operator& op, const std::vector<IValue>& arguments, std::vector<IValue>& inputs,
                        bool with_next) {
    const auto graph = make_ptr<ir::Graph>();
    graph->set_insert_point(graph->block());
    std::vector<ir::Value*> values;
    for (std::size_t i = 0; i < op.schema.arguments.size(); ++i) {
        const IValue argument = i < arguments.size() ? arguments[i] : *op.schema.arguments[i].default_value;
        if (argument.is_tensor() && argument.to_tensor().defined()) {
            inputs.push_back(argument);
            values.push_back(graph->add_input({}, types::tensor()));
        } else {
            values.push_back(
                graph->insert_constant(argument, argument.is_none() ? types::none() : op.schema.arguments[i].type));
        }
    }
    ir::Node* node = graph->insert(graph->create(ir::Symbol::intern(op.schema.name), values, op.result_count()));
    node->set_op(&op);
    for (std::size_t i = 0; i < op.result_count(); ++i) node->output(i)->set_type(op.schema.returns[i].type);
    ir::Value* result = node->output(0);
    if (with_next) {
        result = graph->insert(graph->create(ir::Symbol::intern("aten::isnan"), {result}))->output();
        result->set_type(types::tensor());
    }
    graph->add_output(result);
    return graph;
}

bool gives_one_tensor(const Operator& op) {
    return op.result_count() == 1 && op.schema.returns[0].type->kind() == TypeKind::Tensor;
}

// "" when a kernel computes it and it is made of loops over elements alone.
std::string refusal(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> inputs;
    const auto graph = graph_of(op, arguments, inputs, false);
    if (inputs.empty()) return "no tensors";
    runtime::FusedGroup group(graph, "portable");
    IValue unfused, fused;
    group.run(inputs, &unfused);
    group.run(inputs, &fused);
    if (!group.reason().empty()) return group.reason();
    for (const auto& kernel : group.kernels()) {
        if (kernel.expression.find(" rows(") != std::string::npos) return "rows";
    }
    if (group.kernels().empty()) return "no loops";
    // What else it does no loop told.
    return test::same_elements(fused.to_tensor(), unfused.to_tensor()) ? "" : "more than its loops";
}

bool is_let_in(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> inputs;
    const auto graph = graph_of(op, arguments, inputs, true);
    passes::PassManager().run(*graph, passes::pipeline_of("FuseTensorExprs"));
    return graph->str().find("prim::TensorExprGroup") != std::string::npos;
}

}  // namespace

class TestFusableOperators : public QObject {
    Q_OBJECT

  private slots:
    void each_data() {
        QTest::addColumn<QString>("name");
        for (const Operator* op : all_operators()) {
            if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random ||
                !gives_one_tensor(*op))
                continue;
            const QString name = QString::fromStdString(op->full_name);
            QTest::newRow(qPrintable(name)) << name;
        }
    }
    void each() {
        static const std::map<std::string, const char*> kLeftOut{
            {"aten::clone", "a copy, whose layout the caller may ask for"},
            {"aten::_to_copy", "a copy, whose layout the caller may ask for; graphs cast with aten::to"},
            {"aten::contiguous", "a copy, whose layout the caller asks for"}};
        QFETCH(QString, name);
        const auto found = std::find_if(all_operators().begin(), all_operators().end(),
                                        [&](const Operator* each) { return each->full_name == name.toStdString(); });
        const Operator& op = **found;
        bool can_be_fused = true;  // every sample
        bool has_samples = false, is_in = false;
        std::string reason;
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Int64, ScalarType::Bool}) {
            Random random(3);
            try {
                for (const Sample& sample : op.record->samples(random, dtype)) {
                    const std::string why = refusal(op, sample.arguments);
                    has_samples = true;
                    can_be_fused &= why.empty();
                    if (!why.empty()) reason = why;
                    is_in |= is_let_in(op, sample.arguments);
                }
            } catch (const Error&) {
                continue;  // not of this dtype
            }
        }
        if (!has_samples) return;
        const bool is_left_out = kLeftOut.contains(op.full_name);
        if (can_be_fused) QVERIFY2(is_in != is_left_out, is_in ? "is let in" : "can be fused and is not let in");
        const bool is_of_rows = reason == "rows" || reason.find("dimension that is not the last") != std::string::npos;
        if (is_in)
            QVERIFY2(can_be_fused || is_of_rows || reason.starts_with("no elements") ||
                         reason.find("looks at a tensor of []") != std::string::npos,
                     reason.c_str());
    }
};

QTEST_GUILESS_MAIN(TestFusableOperators)
#include "test_fusable_operators.moc"
