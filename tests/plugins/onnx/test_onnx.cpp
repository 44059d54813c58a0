// SPDX-License-Identifier: Apache-2.0
// ONNX files as models: their modules, inputs, functions, external data, and what is wrong with bad ones. The files are
// fixtures/onnx (make_onnx.py); the conformance runner holds them to their numbers.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ir/graph.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/record/backward_roots.h"
#include "core/record/run_phases.h"
#include "plugins/onnx/proto/data_types.h"
#include "plugins/onnx/proto/onnx.pb.h"
#include "plugins/onnx/proto/tensors.h"

using namespace loupe;
namespace fs = std::filesystem;
namespace messages = loupe::onnx::proto;

namespace {

const fs::path kModels = LOUPE_SOURCE_DIR "/tests/conformance/exported_models";
const fs::path kFixtures = LOUPE_SOURCE_DIR "/tests/fixtures/onnx";

std::shared_ptr<session::Program> open(const fs::path& path) { return session::Program::open(path); }

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

// A model of one node, x to y, to be spoiled.
messages::ModelProto small_model(const std::string& op) {
    messages::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    messages::GraphProto& graph = *model.mutable_graph();
    graph.set_name("small");
    messages::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.set_name("the_node");
    node.add_input("x");
    node.add_output("y");
    for (messages::ValueInfoProto* info : {graph.add_input(), graph.add_output()})
        info->mutable_type()->mutable_tensor_type()->set_elem_type(messages::TensorProto::FLOAT);
    graph.mutable_input(0)->set_name("x");
    graph.mutable_output(0)->set_name("y");
    return model;
}

class Folder {
  public:
    fs::path write(const messages::ModelProto& model, const char* name = "model.onnx") const {
        const fs::path path = fs::path(folder_.path().toStdString()) / name;
        std::ofstream(path, std::ios::binary) << model.SerializeAsString();
        return path;
    }
    fs::path path() const { return folder_.path().toStdString(); }

  private:
    QTemporaryDir folder_;
};

std::string error_of(const messages::ModelProto& model) {
    const Folder folder;
    const fs::path path = folder.write(model);
    return message_of([&] { open(path); });
}

messages::TensorProto external(const char* location) {
    messages::TensorProto tensor;
    tensor.set_name("w");
    tensor.set_data_type(messages::TensorProto::FLOAT);
    tensor.add_dims(4);
    tensor.set_data_location(messages::TensorProto::EXTERNAL);
    auto* entry = tensor.add_external_data();
    entry->set_key("location");
    entry->set_value(location);
    return tensor;
}

}  // namespace

class TestOnnx : public QObject {
    Q_OBJECT

  private slots:
    // --- modules ---

    static std::set<std::string> scopes_of(const session::Program& program, std::string_view kind) {
        std::set<std::string> scopes;
        for (const ir::Node* node : program.method("forward").graph()->nodes()) {
            if (node->kind().str() == kind) scopes.insert(node->scope());
        }
        return scopes;
    }

    void modules_come_from_metadata() {
        const auto program = open(kModels / "hf_bert.onnx");
        nn::Module& module = program->module();
        QCOMPARE(module.get_submodule("bert.encoder.layer.0.attention.output.LayerNorm")->class_name(),
                 std::string("LayerNorm"));
        QCOMPARE(module.get_submodule("bert.encoder")->class_name(), std::string("BertEncoder"));
        QVERIFY(module.get_parameter("bert.embeddings.word_embeddings.weight").defined());
        QVERIFY(scopes_of(*program, "onnx::LayerNormalization")
                    .contains("bert.encoder.layer.0.attention.output.LayerNorm"));
        bool has_line = false;
        for (const ir::Node* node : program->method("forward").graph()->nodes()) {
            const auto place = node->range().position();
            has_line = has_line || (place && place->file.ends_with("modeling_bert.py"));
        }
        QVERIFY(has_line);
    }

    void modules_come_from_names_of_nodes() {
        const auto program = open(kFixtures / "nested_old.onnx");
        for (const char* path : {"layers.0", "layers.0.ln", "layers.1.fc", "q", "head"})
            QVERIFY2(program->module().get_submodule(path) != nullptr, path);
        QVERIFY(scopes_of(*program, "onnx::LayerNormalization").contains("layers.1.ln"));
    }

    // --- inputs ---

    void inputs_have_their_names_and_sizes() {
        const auto program = open(kFixtures / "nested_old.onnx");
        const FunctionSchema& schema = program->schema("forward");
        QCOMPARE(schema.arguments.size(), std::size_t{3});
        QCOMPARE(schema.arguments[1].name, std::string("tokens"));
        QCOMPARE(schema.arguments[2].name, std::string("scale"));
        session::PreparedMethod method(program, "forward", "none");
        auto arguments = program->make_arguments(program->default_inputs("forward"), "forward");
        arguments[1] = IValue(tensor_of<float>({1, 2, 3}, {3}));
        const std::string wrong = message_of([&] { method.forward(arguments); });
        QVERIFY2(wrong.find("scale") != std::string::npos && wrong.find('8') != std::string::npos, wrong.c_str());
    }

    // Sizes that the file leaves open are chosen, the same everywhere where they have the same name.
    void open_sizes_are_guessed() {
        const Folder folder;
        messages::ModelProto model = small_model("Relu");
        auto* shape = model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
        shape->add_dim()->set_dim_param("n");
        shape->add_dim()->set_dim_value(3);
        const auto program = open(folder.write(model));
        const auto specs = program->default_inputs("forward");
        QCOMPARE(specs.size(), std::size_t{1});
        QCOMPARE(specs[0].shape, (session::Shape{1, 3}));
    }

    // --- what is run ---

    void unknown_operators_open_and_run_up_to_them() {
        const auto program = open(kFixtures / "unknown.onnx");
        QVERIFY(program->file().format.find("loupe_unknown::Riddle") != std::string::npos);
        session::PreparedMethod method(program, "forward", "none");
        const std::string wrong = message_of([&] {
            method.forward({IValue(tensor_of<float>({1, 2, 3, 4, 5, 6}, {2, 3}))});
        });
        QVERIFY2(wrong.find("Riddle") != std::string::npos, wrong.c_str());
    }

    void gradients_reach_parameters_and_inputs() {
        const auto program = open(kFixtures / "images_old.onnx");
        session::PreparedMethod method(program, "forward", "none");
        const GradModeScope grad(true);
        const auto arguments = program->make_arguments(program->default_inputs("forward"), "forward");
        session::require_input_gradients(arguments);
        const TensorList outputs = session::flatten_tensors(method.forward(arguments));
        session::run_backward(session::roots_of_outputs(outputs));
        int count = 0;
        for (const auto& [name, parameter] : program->module().named_parameters()) {
            QVERIFY2(grad_of(parameter).defined(), name.c_str());
            ++count;
        }
        QVERIFY(count >= 6);
        QVERIFY(grad_of(arguments[0].to_tensor()).defined());
    }

    // --- bad files ---

    void bad_files_are_one_line() {
        messages::ModelProto model = small_model("Relu");
        model.set_ir_version(99);
        QVERIFY(error_of(model).find("IR version 99") != std::string::npos);
        model.set_ir_version(9999);
        QVERIFY(error_of(model).find("IR version 9999") != std::string::npos);
        model = small_model("Relu");
        model.mutable_opset_import(0)->set_version(99);
        QVERIFY(error_of(model).find("opset 99") != std::string::npos);
        model = small_model("Relu");
        model.mutable_graph()->mutable_node(0)->set_input(0, "z");
        QVERIFY(error_of(model).find("reads 'z'") != std::string::npos);
        model = small_model("Relu");
        model.mutable_graph()->mutable_output(0)->set_name("z");
        QVERIFY(error_of(model).find("gives no 'z'") != std::string::npos);
        model = small_model("Relu");
        *model.mutable_graph()->add_node() = model.graph().node(0);
        QVERIFY(error_of(model).find("two nodes give 'y'") != std::string::npos);
        model = small_model("LeakyRelu");
        auto* alpha = model.mutable_graph()->mutable_node(0)->add_attribute();
        alpha->set_name("alpha");
        alpha->set_type(messages::AttributeProto::INTS);
        QCOMPARE(error_of(model),
                 std::string("attribute 'alpha' of LeakyRelu 'the_node' is a list of whole numbers, not a number"));
    }

    // A circle of nodes reads what nothing before it gives; functions in a circle end too.
    void circles_are_one_line() {
        messages::ModelProto model = small_model("Relu");
        messages::NodeProto& back = *model.mutable_graph()->add_node();
        back.set_op_type("Relu");
        back.add_input("y");
        back.add_output("z");
        model.mutable_graph()->mutable_node(0)->set_input(0, "z");
        QVERIFY(error_of(model).find("reads 'z'") != std::string::npos);
        model = small_model("Again");
        model.mutable_graph()->mutable_node(0)->set_domain("test");
        messages::FunctionProto& again = *model.add_functions();
        again.set_name("Again");
        again.set_domain("test");
        again.add_input("a");
        again.add_output("b");
        messages::NodeProto& call = *again.add_node();
        call.set_domain("test");
        call.set_op_type("Again");
        call.add_input("a");
        call.add_output("b");
        QVERIFY(error_of(model).find("calls itself") != std::string::npos);
    }

    // Sixty functions that call the next one twice: refused before a node is made.
    void functions_that_double_are_counted() {
        messages::ModelProto model = small_model("F0");
        model.mutable_graph()->mutable_node(0)->set_domain("test");
        for (int i = 0; i < 60; ++i) {
            messages::FunctionProto& function = *model.add_functions();
            function.set_name("F" + std::to_string(i));
            function.set_domain("test");
            function.add_input("a");
            function.add_output("b");
            for (const auto& [from, to] : {std::pair("a", "h"), std::pair("h", "b")}) {
                messages::NodeProto& call = *function.add_node();
                call.set_domain("test");
                call.set_op_type("F" + std::to_string(i + 1));
                call.add_input(from);
                call.add_output(to);
            }
        }
        const auto start = std::chrono::steady_clock::now();
        QCOMPARE(error_of(model), std::string("its functions make more than 5000000 nodes"));
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    }

    void external_data_stay_in_the_folder_data() {
        QTest::addColumn<QByteArray>("location");
        for (const char* location : {"/etc/passwd", "../other.bin", "a/../../other.bin", "link.bin"})
            QTest::newRow(location) << QByteArray(location);
    }
    void external_data_stay_in_the_folder() {
        QFETCH(QByteArray, location);
        const Folder outside;
        std::ofstream(outside.path() / "secret.bin") << std::string(64, 'x');
        const Folder folder;
        fs::create_symlink(outside.path() / "secret.bin", folder.path() / "link.bin");
        messages::ModelProto model = small_model("Add");
        model.mutable_graph()->mutable_node(0)->add_input("w");
        *model.mutable_graph()->add_initializer() = external(location.constData());
        const fs::path path = folder.write(model);
        const std::string wrong = message_of([&] { open(path); });
        QVERIFY2(wrong.find("outside the model's folder") != std::string::npos, wrong.c_str());
    }

    void external_data_end_where_the_file_does() {
        const Folder folder;
        std::ofstream(folder.path() / "w.bin") << std::string(8, 'x');
        messages::ModelProto model = small_model("Add");
        model.mutable_graph()->mutable_node(0)->add_input("w");
        *model.mutable_graph()->add_initializer() = external("w.bin");
        const fs::path path = folder.write(model);
        QVERIFY(message_of([&] { open(path); }).find("takes 16 bytes, it has 8") != std::string::npos);
        model.mutable_graph()->mutable_initializer(0)->mutable_external_data(0)->set_value("none.bin");
        folder.write(model);
        QVERIFY(message_of([&] { open(path); }).find("are not there") != std::string::npos);
    }

    // What exporters fold of an attention mask is no weight: a step of a training would move its lowest numbers.
    void folded_masks_do_not_learn() {
        const Folder folder;
        messages::ModelProto model = small_model("Add");
        model.mutable_graph()->mutable_node(0)->add_input("where");
        messages::TensorProto& mask = *model.mutable_graph()->add_initializer();
        mask.set_name("where");
        mask.set_data_type(messages::TensorProto::FLOAT);
        mask.add_dims(2);
        mask.add_float_data(0);
        mask.add_float_data(std::numeric_limits<float>::lowest());
        const auto learning = [&] { return open(folder.write(model))->module().named_parameters().size(); };
        QCOMPARE(learning(), std::size_t{0});
        mask.set_float_data(1, -3);
        QCOMPARE(learning(), std::size_t{1});
    }

    void tensors_have_as_many_values_as_their_shape() {
        messages::ModelProto model = small_model("Add");
        model.mutable_graph()->mutable_node(0)->add_input("w");
        messages::TensorProto& w = *model.mutable_graph()->add_initializer();
        w.set_name("w");
        w.set_data_type(messages::TensorProto::FLOAT);
        w.add_dims(std::int64_t{1} << 40);
        w.add_float_data(1);
        QVERIFY(error_of(model).find("takes 1099511627776 values, it has 1") != std::string::npos);
        w.set_dims(0, -1);
        QVERIFY(error_of(model).find("no tensor has the shape") != std::string::npos);
        w.set_dims(0, 1);
        w.set_data_type(77);
        QVERIFY(error_of(model).find("of type 77") != std::string::npos);
    }

    // --- element types ---

    // Values from the types' definitions: OCP's float8, ONNX's fnuz forms.
    void small_floats() {
        const auto value = [](int type, std::uint32_t bits) {
            return onnx::small_float(*onnx::find_data_type(type), bits);
        };
        using P = messages::TensorProto;
        QCOMPARE(value(P::FLOAT8E4M3FN, 0x7e), 448.0f);
        QCOMPARE(value(P::FLOAT8E4M3FN, 0x01), 0.001953125f);
        QVERIFY(std::isnan(value(P::FLOAT8E4M3FN, 0x7f)));
        QCOMPARE(value(P::FLOAT8E5M2, 0x7b), 57344.0f);
        QVERIFY(std::isinf(value(P::FLOAT8E5M2, 0x7c)));
        QCOMPARE(value(P::FLOAT8E4M3FNUZ, 0x7f), 240.0f);
        QVERIFY(std::isnan(value(P::FLOAT8E5M2FNUZ, 0x80)));
        QCOMPARE(value(P::FLOAT4E2M1, 0x7), 6.0f);
        QCOMPARE(value(P::FLOAT8E8M0, 127), 1.0f);
        // In the middle between the largest value and what would follow, the even one of the two wins.
        const auto rounded = [](int type, float x) {
            return onnx::rounded_to_small_float(*onnx::find_data_type(type), x, false);
        };
        QCOMPARE(rounded(P::FLOAT8E4M3FN, 464), 448.0f);
        QVERIFY(std::isnan(rounded(P::FLOAT8E4M3FN, 465)));
        QVERIFY(std::isinf(rounded(P::FLOAT8E5M2, 61440)));
        QVERIFY(std::isnan(rounded(P::FLOAT8E4M3FNUZ, 248)));
        for (const auto& type : onnx::data_types()) {
            if (type.bits > 8 || !is_floating(type.held)) continue;
            for (std::uint32_t bits = 0; bits < 1U << type.bits; ++bits) {
                const float x = onnx::small_float(type, bits);
                if (!std::isfinite(x) || x == 0) continue;
                QCOMPARE(onnx::small_float_bits(type, x), bits);
                QCOMPARE(onnx::rounded_to_small_float(type, x, false), x);
            }
        }
    }

    void packed_elements() {
        messages::TensorProto tensor;
        tensor.set_data_type(messages::TensorProto::INT4);
        tensor.add_dims(3);
        tensor.set_raw_data(std::string("\x8f\x07", 2));  // -1, -8, 7
        onnx::ExternalFiles none{fs::path()};
        const Tensor values = onnx::take_tensor(tensor, none);
        QCOMPARE(values.dtype(), ScalarType::Int8);
        QCOMPARE(values.data<std::int8_t>()[0], std::int8_t{-1});
        QCOMPARE(values.data<std::int8_t>()[1], std::int8_t{-8});
        QCOMPARE(values.data<std::int8_t>()[2], std::int8_t{7});
    }
};

QTEST_GUILESS_MAIN(TestOnnx)
#include "test_onnx.moc"
