// SPDX-License-Identifier: Apache-2.0
// Which overload a call of torch's functions goes to, and what is said when none fits: PyTorch 1.13's own answers.

#include <QtTest/QtTest>

#include "core/python/language/error.h"
#include "core/python/make_evaluator.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"

using namespace loupe;
using namespace loupe::python;

namespace {

Tensor matrix() { return zeros(std::array<std::int64_t, 2>{2, 3}); }
Tensor number() { return scalar_tensor(Scalar(2), ScalarType::Int64); }

struct Case {
    const char* name;
    bool is_method;
    CallArguments arguments;
    const char* overload;  // of the operator that is called
};

std::vector<Case> cases() {
    const IValue t = matrix();
    const IValue ints = make_list({std::int64_t{0}, std::int64_t{1}});
    return {
        {"sum", true, {{}, {}}, "aten::sum"},
        {"sum", true, {{std::int64_t{0}}, {}}, "aten::sum.dim_IntList"},
        {"sum", true, {{ints, true}, {}}, "aten::sum.dim_IntList"},
        {"sum", true, {{}, {{"axis", std::int64_t{0}}}}, "aten::sum.dim_IntList"},
        {"sum", false, {{t, std::int64_t{1}}, {{"out", t}}}, "aten::sum.IntList_out"},
        {"add", true, {{std::int64_t{1}}, {}}, "aten::add.Tensor"},
        {"add", false, {{t, t}, {{"out", t}}}, "aten::add.out"},
        {"mul", true, {{2.5}, {}}, "aten::mul.Tensor"},
        {"pow", true, {{std::int64_t{2}}, {}}, "aten::pow.Tensor_Scalar"},
        {"pow", true, {{t}, {}}, "aten::pow.Tensor_Tensor"},
        {"pow", false, {{2.0, t}, {}}, "aten::pow.Scalar"},
        {"max", true, {{}, {}}, "aten::max"},
        {"max", true, {{std::int64_t{0}}, {}}, "aten::max.dim"},
        {"max", true, {{t}, {}}, "aten::max.other"},
        {"max", true, {{}, {{"dim", std::int64_t{0}}, {"keepdims", true}}}, "aten::max.dim"},
        {"std", true, {{}, {}}, "aten::std"},
        {"std", true, {{std::int64_t{0}}, {}}, "aten::std.dim"},
        {"std", true, {{}, {{"unbiased", false}}}, "aten::std"},
        {"var", true, {{std::int64_t{0}}, {{"correction", std::int64_t{2}}}}, "aten::var.correction"},
        {"view", true, {{std::int64_t{3}, std::int64_t{2}}, {}}, "aten::view"},
        {"view", true, {{dtype_object(ScalarType::Int32)}, {}}, "aten::view.dtype"},
        {"eq", true, {{std::int64_t{1}}, {}}, "aten::eq.Scalar"},
        {"eq", true, {{t}, {}}, "aten::eq.Tensor"},
        {"clamp", true, {{0.0, 1.0}, {}}, "aten::clamp"},
        {"clamp", true, {{t}, {}}, "aten::clamp.Tensor"},
        {"transpose", true, {{std::int64_t{0}, std::int64_t{1}}, {}}, "aten::transpose.int"},
        {"unsqueeze", true, {{number()}, {}}, "aten::unsqueeze"},
        {"arange", false, {{std::int64_t{5}}, {}}, "aten::arange"},
        {"arange", false, {{std::int64_t{1}, std::int64_t{5}}, {}}, "aten::arange.start"},
        {"arange", false, {{std::int64_t{1}, std::int64_t{5}, std::int64_t{2}}, {}}, "aten::arange.start_step"},
        {"zeros", false, {{std::int64_t{2}, std::int64_t{3}}, {{"requires_grad", true}}}, "aten::zeros"},
        {"randint", false, {{std::int64_t{9}, ints}, {}}, "aten::randint"},
        {"randint", false, {{std::int64_t{1}, std::int64_t{9}, ints}, {}}, "aten::randint.low"},
        {"where", false, {{t, t, 0.0}, {}}, "aten::where.ScalarOther"},
        {"where", false, {{t}, {}}, "aten::where"},
        {"div", true, {{t}, {{"rounding_mode", "floor"}}}, "aten::div.Tensor_mode"},
        {"masked_fill", true, {{t, 1.0}, {}}, "aten::masked_fill.Scalar"},
        {"sort", true, {{}, {{"descending", true}}}, "aten::sort"},
        {"sort", true, {{}, {{"stable", true}}}, "aten::sort.stable"},
        {"cat", false, {{make_list({t, t}), std::int64_t{1}}, {}}, "aten::cat"},
        {"norm", true, {{2.0, ints}, {}}, "aten::norm.ScalarOpt_dim"},
        {"bitwise_and", true, {{std::int64_t{3}}, {}}, "aten::bitwise_and.Scalar"},
        {"softmax", true, {{std::int64_t{0}}, {}}, "aten::softmax.int"},
        {"repeat_interleave", true, {{std::int64_t{2}}, {}}, "aten::repeat_interleave.self_int"},
        {"normal", false, {{0.0, 1.0, ints}, {}}, "aten::normal.float_float"},
        {"normal", false, {{t, 1.0}, {}}, "aten::normal.Tensor_float"},
        {"index_fill", true, {{std::int64_t{0}, t, 1.0}, {}}, "aten::index_fill.int_Scalar"},
        {"squeeze", true, {{}, {}}, "aten::squeeze"},
        {"squeeze", true, {{std::int64_t{0}}, {}}, "aten::squeeze.dim"},
        {"addmm", true, {{t, t}, {{"beta", std::int64_t{0}}}}, "aten::addmm"},
        {"bernoulli_", true, {{0.5}, {}}, "aten::bernoulli_.float"},
    };
}

}  // namespace

class TestTorchCalls : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase() { register_engine_types(); }
    void picks_the_overload_that_pytorch_picks() {
        for (const Case& each : cases()) {
            const SignatureSet* set = find_signatures(each.name, each.is_method);
            QVERIFY2(set != nullptr, each.name);
            try {
                QCOMPARE(choose_overload(*set, each.arguments).full_name, std::string(each.overload));
            } catch (const Error& error) {
                QFAIL(error.what());
            }
        }
    }

    void lists_of_python_are_no_functions_of_torch() {
        QVERIFY(find_signatures("append", false) == nullptr);
        QVERIFY(find_signatures("len", false) == nullptr);
        QVERIFY(find_signatures("keys", true) == nullptr);
    }

    void a_bool_is_no_int() {
        const SignatureSet* set = find_signatures("unsqueeze", true);
        CallArguments arguments{{true}, {}};
        const IValue self = matrix();
        try {
            call_signatures(*set, &self, arguments);
            QFAIL("it took a bool");
        } catch (const PythonError& error) {
            QVERIFY(error.is("TypeError"));
            QCOMPARE(error.exception()->message(),
                     std::string("unsqueeze(): argument 'dim' (position 1) must be int, not bool"));
        }
    }

    void results_have_names() {
        const IValue result = call_function("max", {matrix(), std::int64_t{1}});
        QVERIFY(result.is_tuple());
        QCOMPARE(result.to_tuple().type->name(), std::string("torch.return_types.max"));
    }
};

QTEST_APPLESS_MAIN(TestTorchCalls)
#include "test_torch_calls.moc"
