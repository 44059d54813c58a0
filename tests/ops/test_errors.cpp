// SPDX-License-Identifier: Apache-2.0
// Calls that PyTorch refuses, and its words.

#include "core/base/error.h"
#include "core/dispatch/call.h"
#include "tests/ops/cases.h"

using namespace loupe;

class TestErrors : public OperatorCases {
    Q_OBJECT

  public:
    TestErrors() : OperatorCases("errors") {}

  private slots:
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
