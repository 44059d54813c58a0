// SPDX-License-Identifier: Apache-2.0
// Unsigned integers above eight bits and floats of eight bits in files that PyTorch wrote (fixtures/rare_dtypes,
// make_rare_dtypes.py), and in files of our own.
#include <algorithm>
#include <cstring>

#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/numpy/npy.h"
#include "core/model/convert.h"
#include "core/model/program.h"
#include "tests/formats/formats_test.h"

using namespace loupe;
namespace fs = std::filesystem;

namespace {

fs::path given(const std::string& name) { return fixture("rare_dtypes/" + name); }

constexpr std::string_view kNames[] = {"uint16",      "uint32",          "uint64",          "float8_e4m3fn",
                                       "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"};

Tensor named(const NamedTensors& tensors, std::string_view name) {
    const auto found = std::ranges::find_if(tensors, [&](const auto& each) { return each.first == name; });
    return found == tensors.end() ? Tensor() : found->second;
}

std::vector<double> numbers(const Tensor& t) {
    return elements<double>(fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64)));
}

void check_tensors(const NamedTensors& tensors) {
    for (const std::string_view name : kNames) {
        const Tensor t = named(tensors, name);
        QVERIFY2(t.defined(), std::string(name).c_str());
        QCOMPARE(dtype_name(t.dtype()), name);
        std::vector<double> expected{0.5, 2, 24};
        if (name == "uint16") expected = {0, 1, 65535};
        if (name == "uint32") expected = {0, 1, 4294967295};
        if (name == "uint64") expected = {0, 1, 0x1p64};
        if (name == "float8_e8m0fnu") expected[2] = 32;  // the even one of two powers
        QCOMPARE(numbers(t), expected);
    }
}

void check_outputs(const std::shared_ptr<session::Program>& program) {
    const NamedTensors arrays = read_npz(given("outputs.npz"));
    const IValue out = session::PreparedMethod(program, "forward", "none").forward({IValue(named(arrays, "arg0"))});
    const std::vector<IValue>& results = out.to_tuple().elements;
    QCOMPARE(results.size(), std::size_t{4});
    constexpr ScalarType kDtypes[] = {ScalarType::Float8E5M2, ScalarType::UInt32, ScalarType::Float64,
                                      ScalarType::Float32};
    for (std::size_t i = 0; i < results.size(); ++i) {
        QCOMPARE(results[i].to_tensor().dtype(), kDtypes[i]);
        QCOMPARE(numbers(results[i].to_tensor()), elements<double>(named(arrays, "out" + std::to_string(i))));
    }
}

}  // namespace

class TestRareDtypes : public QObject {
    Q_OBJECT

    Scratch scratch_;

  private slots:
    void reads_weights() {
        check_tensors(read_weights(given("tensors.safetensors")));
        check_tensors(read_weights(given("tensors.pth")));
    }
    void reads_arrays() {
        for (const auto& [name, tensor] : read_npz(given("tensors.npz"))) QCOMPARE(dtype_name(tensor.dtype()), name);
        const NamedTensors weights = read_weights(given("tensors.pth"));
        for (const auto& [name, tensor] : read_npz(given("tensors.npz")))
            QCOMPARE(numbers(tensor), numbers(named(weights, name)));
    }
    void writes_weights() {
        for (const char* file : {"again.pth", "again.safetensors"}) {
            session::write_weights_file(read_weights(given("tensors.pth")), scratch_.path(file));
            check_tensors(read_weights(scratch_.path(file)));
        }
        QVERIFY(read_text_file(scratch_.path("again.safetensors")) == read_text_file(given("tensors.safetensors")));
    }
    void writes_arrays() {
        const NamedTensors weights = read_weights(given("tensors.pth"));
        write_npz(scratch_.path("again.npz"), weights);
        for (const auto& [name, tensor] : read_npz(scratch_.path("again.npz"))) {
            // NumPy has no floats of eight bits.
            QCOMPARE(dtype_name(tensor.dtype()), name.starts_with("uint") ? std::string_view(name) : "float32");
            QCOMPARE(numbers(tensor), numbers(named(weights, name)));
        }
    }
    void runs_programs_data() {
        QTest::addColumn<QString>("file");
        for (const char* file : {"program.pt2", "traced.pt", "scripted.pt"}) QTest::newRow(file) << file;
    }
    void runs_programs() {
        QFETCH(QString, file);
        const auto program = session::Program::open(given(file.toStdString()));
        check_tensors(program->module().state_dict());
        check_outputs(program);
    }
    void writes_programs_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("exported from a trace") << "traced.pt"
                                               << "out.pt2";
        QTest::newRow("exported again") << "program.pt2"
                                        << "out.pt2";
        QTest::newRow("TorchScript") << "scripted.pt"
                                     << "out.pt";
    }
    void writes_programs() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const auto program = session::Program::open(given(from.toStdString()));
        const fs::path written = scratch_.path(to.toStdString());
        session::ConvertOptions options{.pipeline = "none"};
        session::convert(
            program->info()->path, written, [&] { return program; }, options);
        const auto again = session::Program::open(written);
        check_tensors(again->module().state_dict());
        check_outputs(again);
    }
};

QTEST_APPLESS_MAIN(TestRareDtypes)
#include "test_rare_dtypes.moc"
