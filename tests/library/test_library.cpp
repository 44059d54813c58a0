// SPDX-License-Identifier: Apache-2.0
// The thin names of the C++ interface: tensors.h and model.h. Programs against the installed tree:
// check_examples.cmake.

#include <QTemporaryDir>
#include <QtTest>
#include <sstream>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/library/model.h"
#include "core/library/tensors.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "core/record/recording.h"
#include "core/record/recording_file.h"

using namespace loupe;

namespace {

const std::filesystem::path kModels = std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/library/models";

template <typename Work>
std::string message_of(Work&& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.message();
    }
    return "no error";
}

std::vector<float> floats(const Tensor& t) { return to_vector<float>(t); }

}  // namespace

class TestLibrary : public QObject {
    Q_OBJECT

  private slots:
    void tensors_are_made_as_torch_makes_them();
    void random_numbers_are_pytorchs();
    void memory_of_the_caller_is_viewed_and_released();
    void memory_that_does_not_fit_is_refused();
    void indices_are_pythons();
    void operators_are_called_by_name();
    void arithmetic_is_recorded();
    void tensors_print_as_in_python();
    void a_model_runs_by_its_methods();
    void a_model_says_what_is_wrong();
    void a_model_is_saved_as_it_is_now();
    void a_run_is_written_down();
};

void TestLibrary::tensors_are_made_as_torch_makes_them() {
    QCOMPARE(floats(zeros({2})), (std::vector<float>{0, 0}));
    QCOMPARE(to_vector<double>(full({2}, 1.5, ScalarType::Float64)), (std::vector<double>{1.5, 1.5}));
    QCOMPARE(to_vector<std::int64_t>(arange(1, 6, 2)), (std::vector<std::int64_t>{1, 3, 5}));
    QCOMPARE(floats(arange(0, 1, 0.5)), (std::vector<float>{0, 0.5F}));
    QCOMPARE(arange(0, 3, 1, ScalarType::Float32).dtype(), ScalarType::Float32);
    QCOMPARE(describe(ones({2, 3}, ScalarType::Int32)), std::string("int32 2x3"));
}

// torch.manual_seed(0); torch.rand(3), torch.randn(3)
void TestLibrary::random_numbers_are_pytorchs() {
    seed_generators(0);
    const std::vector<float> uniform = floats(rand({3}));
    const std::vector<float> uniform_expected{0.49625658988952637F, 0.7682217955589294F, 0.08847743272781372F};
    QCOMPARE(uniform, uniform_expected);
    seed_generators(0);
    const std::vector<float> normal = floats(randn({3}));
    const std::vector<float> normal_expected{1.5409960746765137F, -0.293428897857666F, -2.1787893772125244F};
    QCOMPARE(normal, normal_expected);
}

void TestLibrary::memory_of_the_caller_is_viewed_and_released() {
    std::vector<float> memory{1, 2, 3, 4, 5, 6};
    int released = 0;
    {
        const Tensor t = from_memory(memory.data(), {2, 3}, ScalarType::Float32, [&] { ++released; });
        memory[4] = 50;
        QCOMPARE(floats(index(t, {1})), (std::vector<float>{4, 50, 6}));
        const Tensor column = index(t, {Slice(), 1});
        set_index(column, {0}, 20.0);
        QCOMPARE(memory[1], 20.0F);
        QCOMPARE(released, 0);
    }
    QCOMPARE(released, 1);
    const Tensor transposed = from_memory(memory.data(), {3, 2}, ScalarType::Float32, nullptr, {1, 3});
    QCOMPARE(floats(transposed), (std::vector<float>{1, 4, 20, 50, 3, 6}));
}

void TestLibrary::memory_that_does_not_fit_is_refused() {
    float number = 0;
    QCOMPARE(message_of([&] {
                 from_memory(&number, {1}, ScalarType::Float32, nullptr, {1, 1});
             }),
             std::string("expected as many strides as sizes, got 2 and 1"));
    QCOMPARE(message_of([&] { from_memory(&number, {1}, ScalarType::Float32, nullptr, {-1}); }),
             std::string("strides must not be negative"));
    QCOMPARE(message_of([] { from_memory(nullptr, {1}); }), std::string("a tensor with elements needs memory"));
    QVERIFY(message_of([&] { from_memory(&number, {-2}); }) != "no error");
    QCOMPARE(from_memory(nullptr, {0}).numel(), std::int64_t{0});
    QCOMPARE(message_of([] { to_vector<double>(ones({1})); }),
             std::string("expected elements of float64, got float32"));
}

void TestLibrary::indices_are_pythons() {
    const Tensor x = call("view", {arange(0, 24), std::vector<std::int64_t>{2, 3, 4}}).to_tensor();
    QCOMPARE(str(index(x, {0, Slice({}, {}, 2)})),
             std::string("tensor([[ 0,  1,  2,  3],\n        [ 8,  9, 10, 11]])"));
    QCOMPARE(str(index(x, {Index::ellipsis(), -1})), std::string("tensor([[ 3,  7, 11],\n        [15, 19, 23]])"));
    QCOMPARE(index(x, {Index::new_axis(), 0}).dim(), std::int64_t{3});
    QCOMPARE(str(index(x, {1, tensor_of<std::int64_t>({0, 2}, {2}), 0})), std::string("tensor([12, 20])"));
    set_index(x, {0, 0, Slice(1, 3)}, -1);
    QCOMPARE(str(index(x, {0, 0})), std::string("tensor([ 0, -1, -1,  3])"));
    QCOMPARE(message_of([&] { index(x, {5}); }), std::string("index 5 is out of bounds for dimension 0 with size 2"));
}

void TestLibrary::operators_are_called_by_name() {
    const Tensor x = tensor_of<float>({3, 1, 2}, {3});
    const IValue sorted = call("sort", {x}, {{"descending", true}});
    QCOMPARE(str(sorted.to_tuple().elements[1].to_tensor()), std::string("tensor([0, 2, 1])"));
    QCOMPARE(call("zeros", {2}, {{"dtype", dtype_value(ScalarType::Int64)}}).to_tensor().dtype(), ScalarType::Int64);
    QVERIFY(message_of([&] {
                call("matmul", {ones({2, 3}), ones({4, 5})});
            }).find("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)") != std::string::npos);
    QVERIFY(message_of([&] { call("relu", {x, x}); }) != "no error");
    QVERIFY(message_of([&] { call("no_such_operator", {x}); }) != "no error");
}

void TestLibrary::arithmetic_is_recorded() {
    const Tensor x = tensor_of<float>({1, 2}, {2});
    set_requires_grad(x, true);
    const Tensor y = (1 - x) * x / 2.0 + -x * 3;
    backward({y}, {ones({2})});
    QCOMPARE(floats(grad_of(x)), (std::vector<float>{-3.5F, -4.5F}));
}

void TestLibrary::tensors_print_as_in_python() {
    std::ostringstream out;
    out << ones({2}) * 0.5;
    QCOMPARE(out.str(), std::string("tensor([0.5000, 0.5000])"));
    const Tensor x = ones({1});
    set_requires_grad(x, true);
    QCOMPARE(str(x * 2), std::string("tensor([2.], grad_fn=<MulBackward0>)"));
    QCOMPARE(str(Tensor()), std::string("None"));
}

void TestLibrary::a_model_runs_by_its_methods() {
    const Model model = Model::open(kModels / "parts.pt");
    QCOMPARE(model.methods(), (std::vector<std::string>{"forward", "check", "encode", "halves"}));
    const Tensor x = ones({2, 4});
    const IValue result = model({x});
    QVERIFY(result.is_dict());
    QCOMPARE(model.run("encode", {x}).to_tuple().elements[1].to_int(), std::int64_t{2});
    QCOMPARE(model.run("halves", {x}).to_tensors().size(), std::size_t{2});
    QCOMPARE(model.schema().arguments.size(), std::size_t{3});
    QCOMPARE(model.parameters().size(), std::size_t{4});
    QVERIFY(!model.module().is_training());
    model.train();
    QVERIFY(model.module().is_training());
    model.to(ScalarType::Float64);
    QCOMPARE(model.parameters()[0].dtype(), ScalarType::Float64);
    QCOMPARE(Model::open(kModels / "resnet.pt").example_inputs().size(), std::size_t{1});
}

void TestLibrary::a_model_says_what_is_wrong() {
    QCOMPARE(message_of([] { Model::open("/nothing.pt"); }).empty(), false);
    const Model model = Model::open(kModels / "parts.pt");
    QVERIFY(message_of([&] { model.run("other", {}); }).find("no method 'other'") != std::string::npos);
    QVERIFY(message_of([&] { model.run("check", {ones({1})}); }).find("expected a matrix") != std::string::npos);
    QVERIFY(message_of([&] { model({ones({2, 5})}); }).find("must match the size") != std::string::npos);
    QVERIFY(message_of([&] { model.save("/tmp/model.unknown"); }).find("no writer") != std::string::npos);
    QTemporaryDir folder;
    const std::filesystem::path weights = folder.filePath("weights.safetensors").toStdString();
    model.save(weights);
    QVERIFY(message_of([&] { Model::open(weights)({ones({1})}); }).find("weights without a program") !=
            std::string::npos);
}

void TestLibrary::a_model_is_saved_as_it_is_now() {
    QTemporaryDir folder;
    const Model model = Model::open(kModels / "curve.pt");
    {
        const GradModeScope no_gradients(false);
        for (const Tensor& parameter : model.parameters()) set_index(parameter, {Index::ellipsis()}, 0.25);
    }
    const Tensor x = ones({1, 1});
    for (const char* name : {"copy.pt", "weights.safetensors"}) {
        const std::filesystem::path file = folder.filePath(name).toStdString();
        model.save(file);
        const Model again = file.extension() == ".pt" ? Model::open(file) : Model::open(kModels / "curve.pt", file);
        QCOMPARE(floats(again({x}).to_tensor()), floats(model({x}).to_tensor()));
    }
}

void TestLibrary::a_run_is_written_down() {
    QTemporaryDir folder;
    const Model model = Model::open(kModels / "resnet.pt");
    const std::vector<IValue> inputs{ones({1, 3, 32, 32})};
    const Model::Recorded run = model.record(inputs, [&] { model(inputs); });
    QVERIFY(run.recording->is_complete());
    QCOMPARE(run.recording->event_count(), std::size_t{19});
    QCOMPARE(run.recording->event(1).scope, std::string_view("stem"));
    const std::filesystem::path file = folder.filePath("run.loupe").toStdString();
    run.save(file);
    const session::RecordingFile read(file);
    QCOMPARE(read.recording()->event_count(), run.recording->event_count());
    QCOMPARE(message_of([&] { model.record({}, [&] { model({ones({1})}); }); }) != "no error", true);
}

QTEST_GUILESS_MAIN(TestLibrary)
#include "test_library.moc"
