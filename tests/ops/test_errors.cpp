// SPDX-License-Identifier: Apache-2.0
// Calls that PyTorch refuses, and its words.

#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/call.h"
#include "tests/ops/cases.h"

using namespace loupe;

class TestErrors : public OperatorCases {
    Q_OBJECT

  public:
    TestErrors() : OperatorCases("errors") {}

  private:
    static void refuses(const char* name, const std::vector<IValue>& arguments) {
        std::vector<IValue> results(3);
        QVERIFY_THROWS_EXCEPTION(Error, call_operator(*find_operator(name), arguments, results.data()));
    }

  private slots:
    // Their elements would be read as the query's.
    void gradients_and_weights_have_the_query_s_type() {
        const Tensor x = tensor_of<float>({1, 2, 3, 4}, {1, 1, 2, 2}),
                     other = tensor_of<std::uint8_t>({1, 2, 3, 4}, {1, 1, 2, 2});
        for (const bool is_grad : {true, false})
            refuses("loupe::attention_backward",
                    {is_grad ? other : x, x, x, x, IValue(), Scalar(1.0), is_grad ? x : other});
    }
    void sizes_that_64_bits_do_not_hold() {
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
        const auto ints = [](std::int64_t value) { return std::vector<std::int64_t>{value}; };
        const Tensor x = tensor_of<float>({1, 2, 3, 4}, {1, 1, 4}), cube = tensor_of<float>({1, 2, 3, 4}, {1, 2, 2});
        refuses("aten::max_pool1d", {x, ints(2), ints(1), ints(0), ints(kMost), true});
        refuses("aten::max_pool1d", {x, ints(2), ints(kMost), ints(1), ints(1), true});
        refuses("aten::conv_tbc", {cube, cube, tensor_of<float>({1, 2}, {2}), kMost});
    }
    void offsets_of_sequences_are_integers() {
        const Tensor x = tensor_of<float>({1, 2, 3, 4}, {2, 2}), offsets = tensor_of<float>({0, 1, 2}, {3});
        refuses("aten::_nested_from_padded_tensor", {x, offsets, x, 1, IValue(), IValue(), IValue()});
    }
    void masks_say_something_of_each_gradient() {
        const Tensor x = tensor_of<float>({1, 2, 3, 4}, {2, 2}), rstd = tensor_of<float>({1, 1}, {2, 1});
        refuses("aten::_fused_rms_norm_backward",
                {x, x, std::vector<std::int64_t>{2}, rstd, IValue(),
                 IValue(make_ptr<ListObject>(types::boolean(), std::vector<IValue>()))});
    }
    void gradients_of_tables_without_a_size() {
        const Tensor grad = tensor_of<float>({1, 2}, {1, 2}), row = tensor_of<std::int64_t>({0}, {1});
        refuses("aten::embedding_backward", {grad, row, -1, -1, false, true});
    }
    // What a place is multiplied by is infinite: 0 times it is no number.
    void enlarged_by_nearly_nothing() {
        const Tensor x = tensor_of<float>({1, 2, 3, 4}, {1, 1, 4});
        for (const char* name : {"aten::upsample_nearest1d", "aten::_upsample_nearest_exact1d"}) {
            IValue result;
            call_operator(*find_operator(name), std::vector<IValue>{x, std::vector<std::int64_t>{3}, 5e-324}, &result);
            const Tensor out = result.to_tensor();
            for (std::int64_t i = 0; i < out.numel(); ++i)
                QVERIFY(out.data<float>()[i] >= 1 && out.data<float>()[i] <= 4);
        }
    }
    // Tensors of a case are each in a storage of its own: these share one.
    void writing_by_indices_over_the_input() {
        for (const char* name : {"aten::gather.out", "aten::index_select.out"}) {
            const Tensor x = tensor_of<float>({1, 2, 3}, {3});
            const Tensor indices = tensor_of<std::int64_t>({2, 1, 0}, {3});
            std::vector<IValue> arguments{x, 0, indices};
            if (name == std::string("aten::gather.out")) arguments.emplace_back(false);
            arguments.emplace_back(x);
            IValue result;
            try {
                call_operator(*find_operator(name), arguments, &result);
                QFAIL("did not refuse");
            } catch (const Error& error) {
                QCOMPARE(QString::fromStdString(error.message()),
                         QString("unsupported operation: some elements of the input tensor and the written-to tensor "
                                 "refer to a single memory "
                                 "location. Please clone() the tensor before performing the operation."));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestErrors)
#include "test_errors.moc"
