// SPDX-License-Identifier: Apache-2.0
// Random numbers for a seed, and the state they leave, against PyTorch.

#include "tests/ops/cases.h"

class TestRandom : public OperatorCases {
    Q_OBJECT

  public:
    TestRandom() : OperatorCases("random") {}
};

QTEST_APPLESS_MAIN(TestRandom)
#include "test_random.moc"
