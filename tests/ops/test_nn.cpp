// SPDX-License-Identifier: Apache-2.0
// Operators of networks against PyTorch.

#include "tests/ops/cases.h"

class TestNn : public OperatorCases {
    Q_OBJECT

  public:
    TestNn() : OperatorCases("nn") {}
};

QTEST_APPLESS_MAIN(TestNn)
#include "test_nn.moc"
