// SPDX-License-Identifier: Apache-2.0
// Operators that few programs call, against PyTorch.

#include <cmath>

#include "core/dispatch/call.h"
#include "core/ops/random/generator.h"
#include "tests/ops/cases.h"

using namespace loupe;

namespace {

Tensor row(std::initializer_list<float> values) {
    Tensor t = empty(span_of(Dims{static_cast<std::int64_t>(values.size())}), ScalarType::Float32);
    std::copy(values.begin(), values.end(), t.data<float>());
    return t;
}

}  // namespace

class TestCalls : public OperatorCases {
    Q_OBJECT

  public:
    TestCalls() : OperatorCases("calls") {}

  private slots:
    // What PyTorch draws after torch.manual_seed(0).
    void distributions() {
        const auto draws = [](const char* name, std::vector<IValue> arguments, std::initializer_list<float> expected) {
            seed_generators(0);
            arguments.emplace_back();
            IValue result;
            call_operator(*find_operator(name), arguments, &result);
            const Tensor drawn = result.to_tensor();
            QCOMPARE(static_cast<std::size_t>(drawn.numel()), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const float want = *(expected.begin() + i);
                QVERIFY2(std::abs(drawn.data<float>()[i] - want) <= 1e-4F * std::abs(want), name);
            }
        };
        draws("aten::poisson", {row({0, 0.5, 3, 12, 100})}, {0, 2, 4, 13, 99});
        draws("aten::binomial", {row({10, 100, 50, 1000}), row({0.3F, 0.3F, 0.9F, 0.5F})}, {6, 28, 46, 499});
        draws("aten::_standard_gamma", {row({0.1F, 0.5F, 1, 3, 20})},
              {3.1292e-16F, 4.4151e-02F, 1.0532F, 4.2826F, 17.138F});
        draws("aten::_sample_dirichlet", {row({0.1F, 0.5F, 1})}, {2.8516e-16F, 4.0234e-02F, 9.5977e-01F});
    }
    void no_dirichlet_distribution_has_no_gradient() {
        IValue result;
        const IValue arguments[] = {row({0.5F, 0.5F}), row({-1, 2}), row({3, 1})};
        call_operator(*find_operator("aten::_dirichlet_grad"), arguments, &result);
        for (int i = 0; i < 2; ++i) QVERIFY(std::isnan(result.to_tensor().data<float>()[i]));
    }
    void rrelu_draws_for_what_is_not_positive() {
        seed_generators(0);
        const Tensor noise = row({0, 0, 0, 0});
        IValue result;
        const IValue arguments[] = {row({-1, 2, -3, 0}), noise, 0.1, 0.3, true, IValue()};
        call_operator(*find_operator("aten::rrelu_with_noise"), arguments, &result);
        const Tensor out = result.to_tensor();
        const float expected[] = {-0.2940F, 2.0F, -0.7247F, 0.0F};
        const float slopes[] = {0.2940F, 1.0F, 0.2416F, 0.1919F};
        for (int i = 0; i < 4; ++i) {
            QVERIFY(std::abs(out.data<float>()[i] - expected[i]) < 1e-4F);
            QVERIFY(std::abs(noise.data<float>()[i] - slopes[i]) < 1e-4F);
        }
    }
};

QTEST_APPLESS_MAIN(TestCalls)
#include "test_calls.moc"
