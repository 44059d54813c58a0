// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cases in files that make_shape_cases.py wrote with PyTorch: one call of an operator, what came back, the gradients.

#include <QString>
#include <QTest>

class OperatorCases : public QObject {
    Q_OBJECT

  public:
    // file: name in tests/ops/cases, without .json.
    explicit OperatorCases(QString file) : file_(std::move(file)) {}

  private slots:
    void call_data();
    void call();

  private:
    QString file_;
};
