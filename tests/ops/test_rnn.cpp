// SPDX-License-Identifier: Apache-2.0
// Recurrent layers against PyTorch.

#include "tests/ops/cases.h"

class TestRnn : public OperatorCases {
    Q_OBJECT

  public:
    TestRnn() : OperatorCases("rnn") {}
};

QTEST_APPLESS_MAIN(TestRnn)
#include "test_rnn.moc"
