// SPDX-License-Identifier: Apache-2.0
// Subgradients at kinks and ties, and gradients that stay undefined, against PyTorch.

#include "tests/ops/cases.h"

class TestSubgradients : public OperatorCases {
    Q_OBJECT

  public:
    TestSubgradients() : OperatorCases("subgradients") {}
};

QTEST_APPLESS_MAIN(TestSubgradients)
#include "test_subgradients.moc"
