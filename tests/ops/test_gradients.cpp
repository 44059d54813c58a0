// SPDX-License-Identifier: Apache-2.0
// What PyTorch records for a call, the engine records too: which results require grad, the name of their node, and
// which arguments get a gradient. gradients.txt was asked of PyTorch by make_gradient_table.py.

#include <QtTest>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "tests/ops/dtype_samples.h"
#include "tests/support/table.h"

using namespace loupe;

namespace {

// PyTorch has no derivative of them; the engine has.
constexpr std::string_view kMoreDerivatives[] = {"aten::_native_multi_head_attention",
                                                 "aten::_stack",
                                                 "aten::aminmax",
                                                 "aten::channel_shuffle",
                                                 "aten::floor_divide",
                                                 "aten::floor_divide.Scalar",
                                                 "aten::hardsigmoid_backward",
                                                 "aten::mish_backward",
                                                 "aten::silu_backward",
                                                 "aten::ormqr",
                                                 "aten::_cholesky_solve_helper",
                                                 "aten::remainder.Scalar_Tensor"};
// Composed of other operators than in PyTorch, so that the last node has another name.
constexpr std::string_view kOtherNodes[] = {"aten::_convolution",
                                            "aten::_pad_packed_sequence",
                                            "aten::_scaled_dot_product_attention",
                                            "aten::_scaled_dot_product_attention_math",
                                            "aten::_weight_norm",
                                            "aten::affine_grid_generator",
                                            "aten::block_diag",
                                            "aten::celu",
                                            "aten::chain_matmul",
                                            "aten::conj_physical",
                                            "aten::conv_tbc",
                                            "aten::diag",
                                            "aten::einsum",
                                            "aten::fft_ifft",
                                            "aten::fft_ihfft",
                                            "aten::glu",
                                            "aten::glu_backward",
                                            "aten::infinitely_differentiable_gelu_backward",
                                            "aten::prelu_backward",
                                            "aten::gru.input",
                                            "aten::index_reduce",
                                            "aten::kron",
                                            "aten::linalg_eigvals",
                                            "aten::linalg_ldl_factor_ex",
                                            "aten::linalg_ldl_solve",
                                            "aten::linalg_multi_dot",
                                            "aten::lstm.input",
                                            "aten::nanquantile",
                                            "aten::nanquantile.scalar",
                                            "aten::pad",
                                            "aten::polar",
                                            "aten::prelu",
                                            "aten::quantile",
                                            "aten::quantile.scalar",
                                            "aten::rnn_relu.input",
                                            "aten::rnn_tanh.input",
                                            "aten::rot90",
                                            "aten::stft",
                                            "aten::take",
                                            "aten::trace"};

bool is_listed(std::span<const std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

TensorList tensors_in(std::span<const IValue> values) {
    TensorList tensors;
    for (const IValue& value : values) visit_tensors(value, [&](const Tensor& t) { tensors.push_back(t); });
    return tensors;
}

std::string flags_of(const TensorList& results) {
    std::string flags;
    for (const Tensor& t : results) flags += requires_grad(t) ? '1' : '0';
    return flags.empty() ? "-" : flags;
}

std::string gradients_text(const TensorList& recorded, const TensorList& leaves) {
    TensorList ones;
    for (const Tensor& t : recorded) ones.push_back(gradient_arithmetic().ones_like(t));
    try {
        std::string gets;
        for (const Tensor& gradient : gradients_of(recorded, leaves, ones, {}, true))
            gets += gradient.defined() ? '1' : '0';
        return gets;
    } catch (const Error&) {
        return "refused";
    }
}

std::string answer(const Operator& op) {
    std::vector<IValue> arguments = sample_in(op, ScalarType::Float32);
    TensorList leaves;
    for (const Tensor& t : tensors_in(arguments)) {
        if (!is_floating(t.dtype())) continue;
        set_requires_grad(t, true);
        leaves.push_back(t);
    }
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    call_operator(op, arguments, results.data());
    const TensorList tensors = tensors_in({results.data(), op.result_count()});
    TensorList recorded;
    std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(recorded),
                 [](const Tensor& t) { return requires_grad(t); });
    if (recorded.empty()) return flags_of(tensors) + " - -";
    const Ptr<Node> node = grad_fn(recorded[0]);
    return concat(flags_of(tensors), " ", node == nullptr ? "leaf" : node->name(), " ",
                  gradients_text(recorded, leaves));
}

}  // namespace

class TestGradients : public QObject {
    Q_OBJECT

  private slots:
    void recorded_data() {
        QTest::addColumn<QString>("wanted");
        for (const auto& row : test::read_table("ops/gradients.txt")) {
            QTest::newRow(row[0].c_str()) << QString::fromStdString(concat(row[1], " ", row[2], " ", row[3]));
        }
    }
    void recorded() {
        QFETCH(QString, wanted);
        const Operator* op = find_operator(QTest::currentDataTag());
        QVERIFY2(op != nullptr, "no such operator");
        const QStringList got = QString::fromStdString(answer(*op)).split(' ');
        const QStringList want = wanted.split(' ');
        const bool is_same_node = got[1] == want[1];
        if (is_listed(kMoreDerivatives, op->full_name)) {
            QCOMPARE(want[2], QString("refused"));
            QVERIFY2(got[2] != want[2], "is refused as in PyTorch: not to be listed");
            return;
        }
        QCOMPARE(got[0], want[0]);
        QCOMPARE(got[2], want[2]);
        if (is_listed(kOtherNodes, op->full_name))
            QVERIFY2(!is_same_node, "has PyTorch's node: not to be listed");
        else
            QCOMPARE(got[1], want[1]);
    }
};

QTEST_GUILESS_MAIN(TestGradients)
#include "test_gradients.moc"
