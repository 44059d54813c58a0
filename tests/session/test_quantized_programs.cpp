// SPDX-License-Identifier: Apache-2.0
// TorchScript programs that torch.ao.quantization made (tests/fixtures/quantized): opened, run, compared with PyTorch.

#include <QtTest>

#include "core/base/error.h"
#include "core/formats/numpy/npy.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/study/compare.h"

using namespace loupe;

namespace {

std::filesystem::path fixture(const QString& name) {
    return std::filesystem::path(LOUPE_SOURCE_DIR) / "tests/fixtures/quantized" / name.toStdString();
}

Tensor array_of(const NamedTensors& arrays, std::string_view name) {
    const auto found = std::ranges::find(arrays, name, [](const auto& each) { return each.first; });
    return found == arrays.end() ? Tensor() : found->second;
}

auto compared(const QString& name, double relative, double absolute) {
    const NamedTensors arrays = read_npz(fixture(name + ".npz"));
    const auto program = session::Program::open(fixture(name + ".pt"));
    const session::PreparedMethod method(program, program->default_method(), "none");
    const TensorList outputs = session::flatten_tensors(method.forward({IValue(array_of(arrays, "arg0"))}));
    if (outputs.size() != 1) throw Error(ErrorKind::Internal, "the program has not one result");
    return session::compare_tensors(outputs[0], array_of(arrays, "out0"), relative, absolute);
}

}  // namespace

class TestQuantizedPrograms : public QObject {
    Q_OBJECT

  private slots:
    void give_what_pytorch_gives_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"dynamic_fbgemm", "dynamic_onednn", "dynamic_channels", "dynamic_half", "dynamic_lstm", "dynamic_gru",
              "dynamic_lstm_half", "embedding_bag", "embedding_bag_4bit", "embedding_rows", "rounding", "static_cell"})
            QTest::newRow(name) << QString(name);
    }
    void give_what_pytorch_gives() {
        QFETCH(QString, name);
        const auto difference = compared(name, 1.3e-6, 1e-5);
        QVERIFY2(difference.is_equal, difference.why.c_str());
    }

    // Whole layers of integers give the same ones, so that the results have no tolerance.
    void give_the_same_integers_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"static_residual", "static_mobile", "static_operators", "static_addend"})
            QTest::newRow(name) << QString(name);
    }
    void give_the_same_integers() {
        QFETCH(QString, name);
        const auto difference = compared(name, 0, 0);
        QVERIFY2(difference.is_equal, difference.why.c_str());
    }
};

QTEST_GUILESS_MAIN(TestQuantizedPrograms)
#include "test_quantized_programs.moc"
