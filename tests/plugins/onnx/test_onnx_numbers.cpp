// SPDX-License-Identifier: Apache-2.0
// Models of one operator, or a few: their numbers are those of ONNX's reference implementation (reference_numbers.py
// prints the ones that are not seen at once).
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/run_phases.h"
#include "core/study/compare.h"
#include "plugins/onnx/proto/onnx.pb.h"

using namespace loupe;
namespace fs = std::filesystem;
namespace messages = loupe::onnx::proto;

namespace {

using P = messages::TensorProto;

class Model {
  public:
    explicit Model(std::int64_t opset) {
        model_.set_ir_version(10);
        model_.add_opset_import()->set_version(opset);
        model_.mutable_graph()->set_name("small");
    }

    void add_input(const char* name, std::int32_t type) { name_value(*graph().add_input(), name, type); }
    void add_output(const char* name, std::int32_t type) { name_value(*graph().add_output(), name, type); }
    messages::NodeProto& add_node(const char* op, std::initializer_list<const char*> inputs, const char* output,
                                  const char* domain = "") {
        messages::NodeProto& node = *graph().add_node();
        node.set_op_type(op);
        for (const char* input : inputs) node.add_input(input);
        node.add_output(output);
        if (*domain == '\0') return node;
        node.set_domain(domain);
        model_.add_opset_import()->set_domain(domain);
        model_.mutable_opset_import()->rbegin()->set_version(1);
        return node;
    }

    Tensor run(std::vector<IValue> arguments) const {
        const QTemporaryDir folder;
        const fs::path path = fs::path(folder.path().toStdString()) / "model.onnx";
        std::ofstream(path, std::ios::binary) << model_.SerializeAsString();
        session::PreparedMethod method(session::Program::open(path), "forward", "none");
        const GradModeScope grad(true);
        return method.forward(std::move(arguments)).to_tensor();
    }

    static void name_value(messages::ValueInfoProto& info, const char* name, std::int32_t type) {
        info.set_name(name);
        info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }

  private:
    messages::GraphProto& graph() { return *model_.mutable_graph(); }

    messages::ModelProto model_;
};

messages::AttributeProto& attribute(messages::NodeProto& node, const char* name,
                                    messages::AttributeProto::AttributeType type) {
    messages::AttributeProto& added = *node.add_attribute();
    added.set_name(name);
    added.set_type(type);
    return added;
}
void set(messages::NodeProto& node, const char* name, std::int64_t value) {
    attribute(node, name, messages::AttributeProto::INT).set_i(value);
}
void set(messages::NodeProto& node, const char* name, float value) {
    attribute(node, name, messages::AttributeProto::FLOAT).set_f(value);
}
void set(messages::NodeProto& node, const char* name, const char* value) {
    attribute(node, name, messages::AttributeProto::STRING).set_s(value);
}

// One operator with its inputs' types; the input i is x<i>.
struct Single {
    Single(const char* op, std::int64_t opset, const std::vector<std::int32_t>& inputs, std::int32_t output,
           const char* domain = "")
        : model(opset), node(model.add_node(op, {}, "y", domain)) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::string name = inputs[i] != 0 ? concat("x", i) : std::string();
            node.add_input(name);
            if (inputs[i] != 0) model.add_input(name.c_str(), inputs[i]);
        }
        model.add_output("y", output);
    }

    Model model;
    messages::NodeProto& node;
};

Tensor floats(std::initializer_list<float> values, std::initializer_list<std::int64_t> sizes) {
    return tensor_of<float>(values, sizes);
}
Tensor whole(std::initializer_list<std::int64_t> values, ScalarType dtype = ScalarType::Int64) {
    const Tensor wide = tensor_of<std::int64_t>(values, {static_cast<std::int64_t>(values.size())});
    return dtype == ScalarType::Int64 ? wide : fn::to_dtype(wide, static_cast<std::int64_t>(dtype));
}
// 0, 1, ...
Tensor counted(const Dims& sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    return fn::reshape(fn::to_dtype(fn::arange(Scalar(count)), static_cast<std::int64_t>(ScalarType::Float32)), sizes);
}
Tensor waves(double shift, const Dims& sizes) {
    return fn::sin(fn::add_scalar(counted(sizes), Scalar(shift), Scalar(1)));
}

void add_modifier(messages::NodeProto& node, const char* name, const char* op, float number) {
    messages::GraphProto& graph = *attribute(node, name, messages::AttributeProto::GRAPH).mutable_g();
    graph.set_name(name);
    Model::name_value(*graph.add_input(), "a", P::FLOAT);
    Model::name_value(*graph.add_output(), "b", P::FLOAT);
    messages::TensorProto& constant = *graph.add_initializer();
    constant.set_name("c");
    constant.set_data_type(P::FLOAT);
    constant.add_float_data(number);
    messages::NodeProto& inside = *graph.add_node();
    inside.set_op_type(op);
    inside.add_input("a");
    inside.add_input("c");
    inside.add_output("b");
}
Single flex() { return {"FlexAttention", 26, {P::FLOAT, P::FLOAT, P::FLOAT}, P::FLOAT, "ai.onnx.preview"}; }
std::vector<IValue> queries_keys_values() {
    return {waves(0, {1, 2, 2, 2}), waves(1, {1, 1, 3, 2}), waves(2, {1, 1, 3, 2})};
}

// What differs; empty when nothing does.
std::string difference(const Tensor& actual, const Tensor& expected) {
    if (actual.dtype() != expected.dtype()) return concat("it is ", dtype_name(actual.dtype()));
    const auto found = session::compare_tensors(actual, expected, 1e-5, 1e-5);
    return found.is_equal ? std::string() : concat("off by ", found.max_abs, " ", found.why);
}

}  // namespace

class TestOnnxNumbers : public QObject {
    Q_OBJECT

  private slots:
    // --- sampling ---

    void smaller_images_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<int>("excludes");
        QTest::addColumn<QList<float>>("expected");
        QTest::newRow("linear") << QByteArray("linear") << 0 << QList<float>{1.875f, 3.5f, 8.375f, 10};
        QTest::newRow("linear, inside") << QByteArray("linear") << 1
                                        << QList<float>{2.1428571f, 3.7142856f, 8.4285707f, 10};
        QTest::newRow("cubic") << QByteArray("cubic") << 0
                               << QList<float>{1.5180695f, 3.285886f, 8.5893354f, 10.357152f};
        QTest::newRow("cubic, inside") << QByteArray("cubic") << 1
                                       << QList<float>{1.6071396f, 3.3909755f, 8.7424831f, 10.52632f};
    }
    // The filter takes the edge for what lies outside, unless that is excluded.
    void smaller_images() {
        QFETCH(QByteArray, mode);
        QFETCH(int, excludes);
        QFETCH(QList<float>, expected);
        Single resize("Resize", 19, {P::FLOAT, 0, P::FLOAT}, P::FLOAT);
        set(resize.node, "mode", mode.constData());
        set(resize.node, "antialias", std::int64_t{1});
        set(resize.node, "exclude_outside", std::int64_t{excludes});
        const Tensor out = resize.model.run({counted({1, 1, 4, 4}), floats({1, 1, 0.6f, 0.6f}, {4})});
        const Dims sizes{1, 1, 2, 2};
        QCOMPARE(difference(out, tensor_of(std::span<const float>(expected), span_of(sizes))), std::string());
    }

    void blocks_of_three_dimensions() {
        Single col2im("Col2Im", 18, {P::FLOAT, P::INT64, P::INT64}, P::FLOAT);
        messages::AttributeProto& pads = attribute(col2im.node, "pads", messages::AttributeProto::INTS);
        for (const int pad : {0, 0, 1, 0, 0, 0}) pads.add_ints(pad);
        const Tensor out = col2im.model.run({counted({1, 4, 8}), whole({2, 3, 2}), whole({1, 2, 2})});
        QCOMPARE(difference(out, floats({9, 9, 54, 36, 45, 27, 17, 13, 70, 44, 53, 31}, {1, 1, 2, 3, 2})),
                 std::string());
    }

    // Of two elements that are equally near, the even one, outside too.
    void reflected_nearest_elements() {
        Single sample("GridSample", 20, {P::FLOAT, P::FLOAT}, P::FLOAT);
        set(sample.node, "mode", "nearest");
        set(sample.node, "padding_mode", "reflection");
        const Tensor grid = floats({-1.5f, 0, -2, 0, 1.5f, 0, 2, 0}, {1, 1, 4, 2});
        const Tensor out = sample.model.run({counted({1, 1, 1, 4}), grid});
        QCOMPARE(difference(out, floats({1, 1, 3, 1}, {1, 1, 1, 4})), std::string());
    }

    // --- elements that a wider type holds ---

    void inverted_bits() {
        const Single narrow("BitwiseNot", 18, {P::UINT16}, P::UINT16);
        const Tensor out = narrow.model.run({whole({0, 1, 65535}, ScalarType::UInt16)});
        QCOMPARE(difference(out, whole({65535, 65534, 0}, ScalarType::UInt16)), std::string());
        const Single wide("BitwiseNot", 18, {P::UINT32}, P::UINT32);
        QCOMPARE(difference(wide.model.run({whole({0, 1}, ScalarType::UInt32)}),
                            whole({4294967295, 4294967294}, ScalarType::UInt32)),
                 std::string());
        const Single exact("BitwiseNot", 18, {P::INT64}, P::INT64);
        QCOMPARE(difference(exact.model.run({whole({0, 1})}), whole({-1, -2})), std::string());
    }

    // No input or output says the type: the nodes between do.
    void inverted_bits_inside() {
        Model model(18);
        model.add_input("x", P::INT64);
        set(model.add_node("Cast", {"x"}, "narrow"), "to", std::int64_t{P::UINT16});
        model.add_node("Identity", {"narrow"}, "same");
        model.add_node("BitwiseNot", {"same"}, "inverted");
        set(model.add_node("Cast", {"inverted"}, "y"), "to", std::int64_t{P::INT64});
        model.add_output("y", P::INT64);
        QCOMPARE(difference(model.run({whole({0, 65535})}), whole({65535, 0})), std::string());
        // A shape has its own type.
        Model shape(18);
        shape.add_input("x", P::UINT32);
        shape.add_node("Shape", {"x"}, "size");
        shape.add_node("BitwiseNot", {"size"}, "y");
        shape.add_output("y", P::INT64);
        QCOMPARE(difference(shape.run({whole({0, 1}, ScalarType::UInt32)}), whole({-3})), std::string());
    }

    // PyTorch has no sum of unsigned integers above eight bits; ONNX's wraps.
    void unsigned_integers_wrap() {
        for (const auto& [type, dtype, most] : {std::tuple{P::UINT16, ScalarType::UInt16, std::int64_t{65535}},
                                                std::tuple{P::UINT32, ScalarType::UInt32, std::int64_t{4294967295}},
                                                std::tuple{P::UINT64, ScalarType::UInt64, std::int64_t{-1}}}) {
            const Single sum("Add", 18, {type, type}, type);
            QCOMPARE(difference(sum.model.run({whole({most, 5}, dtype), whole({2, 3}, dtype)}), whole({1, 8}, dtype)),
                     std::string());
        }
    }

    void shifted_bits() {
        Single left("BitShift", 18, {P::UINT16, P::UINT16}, P::UINT16);
        set(left.node, "direction", "LEFT");
        const Tensor by = whole({1, 15}, ScalarType::UInt16);
        QCOMPARE(difference(left.model.run({whole({0x8001, 3}, ScalarType::UInt16), by}),
                            whole({2, 0x8000}, ScalarType::UInt16)),
                 std::string());
        Single right("BitShift", 18, {P::UINT64, P::UINT64}, P::UINT64);
        set(right.node, "direction", "RIGHT");
        QCOMPARE(
            difference(right.model.run({whole({-1, -1, 8}, ScalarType::UInt64), whole({60, 0, 3}, ScalarType::UInt64)}),
                       whole({15, -1, 1}, ScalarType::UInt64)),
            std::string());
    }

    void same_bits_of_another_type() {
        const auto bits = [](std::int32_t from, std::int32_t to, const Tensor& x) {
            Single cast("BitCast", 26, {from}, to);
            set(cast.node, "to", std::int64_t{to});
            return cast.model.run({x});
        };
        const Tensor words = whole({1, 0x8000, 0xffff}, ScalarType::UInt16);
        QCOMPARE(difference(bits(P::UINT16, P::INT16, words), whole({1, -32768, -1}, ScalarType::Int16)),
                 std::string());
        const Tensor small = whole({0x3c00, 0xc000}, ScalarType::UInt16);
        QCOMPARE(difference(bits(P::UINT16, P::FLOAT16, small),
                            fn::to_dtype(floats({1, -2}, {2}), static_cast<std::int64_t>(ScalarType::Float16))),
                 std::string());
        QCOMPARE(difference(bits(P::FLOAT, P::UINT32, floats({-0.0f, 1}, {2})),
                            whole({0x80000000, 0x3f800000}, ScalarType::UInt32)),
                 std::string());
        QCOMPARE(difference(bits(P::FLOAT8E4M3FN, P::UINT8, whole({1, -448}, ScalarType::Float8E4M3FN)),
                            whole({0x38, 0xfe}, ScalarType::UInt8)),
                 std::string());
        QCOMPARE(
            difference(bits(P::INT4, P::UINT4, whole({-1, 7}, ScalarType::Int8)), whole({15, 7}, ScalarType::UInt8)),
            std::string());
    }

    // --- attention with graphs inside ---

    void flex_attention() {
        const Single plain = flex();
        QCOMPARE(difference(plain.model.run(queries_keys_values()),
                            floats({0.2632547f, 0.058562517f, 0.23244663f, -0.10618945f, -0.36388937f, -0.028215118f,
                                    0.11863258f, 0.07359942f},
                                   {1, 2, 2, 2})),
                 std::string());
        Single scaled = flex();
        set(scaled.node, "scale", 0.3f);
        QCOMPARE(difference(scaled.model.run(queries_keys_values()),
                            floats({0.085657939f, -0.00079100614f, 0.069776244f, -0.091331795f, -0.22257213f,
                                    -0.05637303f, 0.027692903f, 0.0049528941f},
                                   {1, 2, 2, 2})),
                 std::string());
    }

    // score_mod before the softmax, prob_mod behind it; gradients pass both.
    void flex_attention_with_graphs() {
        Single modified = flex();
        add_modifier(modified.node, "score_mod", "Pow", 2);
        add_modifier(modified.node, "prob_mod", "Mul", 0.5f);
        const std::vector<IValue> inputs = queries_keys_values();
        session::require_input_gradients(inputs);
        const Tensor out = modified.model.run(inputs);
        QCOMPARE(difference(out, floats({0.00060552469f, -0.043137345f, 0.02185726f, 0.030759919f, 0.12257741f,
                                         0.029767795f, -0.028431427f, -0.046093099f},
                                        {1, 2, 2, 2})),
                 std::string());
        session::run_backward(session::roots_of_outputs({out}));
        for (const IValue& input : inputs) QVERIFY(grad_of(input.to_tensor()).defined());
    }

    // --- ai.onnx.ml ---

    void features() {
        Single binarizer("Binarizer", 18, {P::FLOAT}, P::FLOAT, "ai.onnx.ml");
        set(binarizer.node, "threshold", 1.0f);
        QCOMPARE(difference(binarizer.model.run({floats({0, 1, 1.5f}, {3})}), floats({0, 0, 1}, {3})), std::string());
        const Single extractor("ArrayFeatureExtractor", 18, {P::FLOAT, P::INT64}, P::FLOAT, "ai.onnx.ml");
        QCOMPARE(difference(extractor.model.run({counted({2, 3}), whole({2, 0})}), floats({2, 0, 5, 3}, {2, 2})),
                 std::string());
        QCOMPARE(difference(extractor.model.run({counted({3}), whole({2, 0})}), floats({2, 0}, {1, 2})), std::string());
    }
};

QTEST_GUILESS_MAIN(TestOnnxNumbers)
#include "test_onnx_numbers.moc"
