// SPDX-License-Identifier: Apache-2.0
// TorchScript programs that torch.ao.quantization made (make_quantized.py): opened, run, compared with PyTorch.

#include <QtTest>

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

}  // namespace

class TestQuantizedPrograms : public QObject {
    Q_OBJECT

  private slots:
    void give_what_pytorch_gives_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"dynamic_fbgemm", "dynamic_onednn", "dynamic_channels", "dynamic_half", "rounding"})
            QTest::newRow(name) << QString(name);
    }
    void give_what_pytorch_gives() {
        QFETCH(QString, name);
        const NamedTensors arrays = read_npz(fixture(name + ".npz"));
        const auto program = session::Program::open(fixture(name + ".pt"));
        const session::PreparedMethod method(program, program->default_method(), "none");
        const TensorList outputs = session::flatten_tensors(method.forward({IValue(array_of(arrays, "arg0"))}));
        QCOMPARE(outputs.size(), std::size_t{1});
        const auto difference = session::compare_tensors(outputs[0], array_of(arrays, "out0"), 1.3e-6, 1e-5);
        QVERIFY2(difference.is_equal, difference.why.c_str());
    }
};

QTEST_GUILESS_MAIN(TestQuantizedPrograms)
#include "test_quantized_programs.moc"
