// SPDX-License-Identifier: Apache-2.0
// Joining, repeating and padding against PyTorch.

#include "tests/ops/cases.h"

class TestJoining : public OperatorCases {
    Q_OBJECT

  public:
    TestJoining() : OperatorCases("joining") {}
};

QTEST_APPLESS_MAIN(TestJoining)
#include "test_joining.moc"
