// SPDX-License-Identifier: Apache-2.0
// Indexing against PyTorch.

#include "tests/ops/cases.h"

class TestIndexing : public OperatorCases {
    Q_OBJECT

  public:
    TestIndexing() : OperatorCases("indexing") {}
};

QTEST_APPLESS_MAIN(TestIndexing)
#include "test_indexing.moc"
