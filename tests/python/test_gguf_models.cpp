// SPDX-License-Identifier: Apache-2.0
// Language models of GGUF files; what transformers gives for the same weights is beside them (fixtures/gguf,
// make_models.py).
#include <algorithm>
#include <cmath>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/formats/numpy/npy.h"
#include "core/model/program.h"
#include "core/tensor/packed.h"
#include "tests/formats/formats_test.h"

using namespace loupe;

namespace {

Tensor named(const NamedTensors& tensors, std::string_view name) {
    for (const auto& [each, tensor] : tensors)
        if (each == name) return tensor;
    return {};
}

class TestGgufModels : public QObject {
    Q_OBJECT

  private slots:
    void gives_the_logits_of_transformers_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"llama_f32", "llama_f16", "llama_q8_0", "llama_q4_0", "qwen2_q4_1", "qwen2_bf16", "qwen3_q5_0"})
            QTest::newRow(name) << QString(name);
    }
    void gives_the_logits_of_transformers() {
        QFETCH(QString, name);
        const std::string file = "gguf/" + name.toStdString();
        const auto program = session::Program::open(fixture(file + ".gguf"));
        QCOMPARE(program->file().cannot_run, std::string());
        const NamedTensors arrays = read_npz(fixture(file + ".npz"));
        const IValue out = session::PreparedMethod(program, "forward", "none").forward({IValue(named(arrays, "arg0"))});
        const auto mine = elements<float>(detach(out.to_tensor()));
        const auto wanted = elements<float>(named(arrays, "out0"));
        QCOMPARE(mine.size(), wanted.size());
        float largest = 0;
        for (const float each : wanted) largest = std::max(largest, std::fabs(each));
        QVERIFY(largest > 1);
        for (std::size_t i = 0; i < mine.size(); ++i)
            QVERIFY2(std::fabs(mine[i] - wanted[i]) <= 1e-5F * largest, std::to_string(i).c_str());
    }

    void keeps_weights_packed() {
        const auto program = session::Program::open(fixture("gguf/llama_q4_0.gguf"));
        std::size_t packed = 0;
        for (const auto& [name, tensor] : program->file().module->named_parameters())
            if (is_packed(tensor)) packed += packed_parts(tensor).type->name == "Q4_0" ? 1U : 0U;
        // 18 bytes stand for 32 numbers; the norms are float32.
        QVERIFY(program->info()->parameter_bytes < program->info()->parameter_count);
        QCOMPARE(packed, std::size_t{16});  // seven a layer, the table and the head
    }

    // The gradient of a product with packed weights is that with what they stand for.
    void goes_back_through_packed_weights() {
        const auto program = session::Program::open(fixture("gguf/qwen2_q4_1.gguf"));
        Tensor weight;
        for (const auto& [name, tensor] : program->file().module->named_parameters())
            if (name == "model.layers.0.mlp.up_proj.weight") weight = detach(tensor);
        QVERIFY(weight.defined() && is_packed(weight));
        const Tensor dense = unpacked(weight);
        // Of the input, and of the bias.
        const auto gradients = [&](const Tensor& by) {
            const Tensor x = zeros(std::vector<std::int64_t>{3, 64});
            for (std::int64_t i = 0; i < x.numel(); ++i) x.data<float>()[i] = static_cast<float>(i % 7) - 3;
            const Tensor bias = zeros(std::vector<std::int64_t>{by.size(0)});
            set_requires_grad(x, true);
            set_requires_grad(bias, true);
            backward({fn::sum(fn::pow_scalar(fn::linear(x, by, bias), Scalar(2)))});
            return std::pair(elements<float>(grad_of(x)), elements<float>(grad_of(bias)));
        };
        const auto close = [](const std::vector<float>& mine, const std::vector<float>& wanted) {
            return !wanted.empty() && std::ranges::equal(mine, wanted, [](float a, float b) {
                return std::fabs(a - b) <= 1e-4F * std::max(1.0F, std::fabs(b));
            });
        };
        const auto mine = gradients(weight), wanted = gradients(dense);
        QVERIFY(close(mine.first, wanted.first));
        QVERIFY(close(mine.second, wanted.second));
    }

    void writes_packed_weights_as_their_numbers() {
        QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString()) / "weight.npy";
        const Tensor packed = make_packed(*ggml_type(8), zeros(std::vector<std::int64_t>{3, 68}, ScalarType::UInt8));
        write_npy(path, packed);
        QCOMPARE(shape_text(read_npy(path).sizes()), std::string("3x64"));
    }

    void shows_the_tree_of_unknown_architectures() {
        const auto program = session::Program::open(fixture("gguf/types.gguf"));
        QVERIFY(!program->file().cannot_run.empty());
    }
};

}  // namespace

QTEST_GUILESS_MAIN(TestGgufModels)
#include "test_gguf_models.moc"
