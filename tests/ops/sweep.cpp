// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/sweep.h"

#include <QTest>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/random/random.h"

namespace loupe::sweep {
namespace {

// How PyTorch refuses a dtype, or a derivative.
constexpr std::string_view kRefusals[] = {"not implemented for",
                                          "could not infer output dtype",
                                          "expected scalar type",
                                          "Expected floating point type",
                                          "not supported for complex",
                                          "should be between 0 and 1",
                                          "is not implemented",
                                          "grid_sampler(): expected input and grid to have same dtype",
                                          "Negation, the `-` operator, on a bool tensor is not supported"};

constexpr ScalarType kDtypes[] = {ScalarType::Float64, ScalarType::Float32,    ScalarType::BFloat16, ScalarType::Int64,
                                  ScalarType::UInt8,   ScalarType::Complex128, ScalarType::Bool};

bool refuses_dtype(const Error& error) {
    return std::any_of(std::begin(kRefusals), std::end(kRefusals),
                       [&](std::string_view words) { return error.message().find(words) != std::string::npos; });
}

std::vector<Sample> samples_of(const Operator& op, Random& random, ScalarType dtype) {
    try {
        return op.record->samples(random, dtype);
    } catch (const Error& error) {
        if (refuses_dtype(error)) return {};
        throw std::runtime_error(concat(dtype_name(dtype), ", drawing: ", error.what()));
    }
}

std::string in_case(ScalarType dtype, const Sample& sample, const std::string& what) {
    return concat(dtype_name(dtype), sample.name.empty() ? "" : ", ", sample.name, ": ", what);
}

}  // namespace

void list_operators() {
    QTest::addColumn<QString>("name");
    for (const Operator* op : all_operators()) {
        if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random)
            continue;
        const QString name = QString::fromStdString(op->full_name);
        QTest::newRow(qPrintable(name)) << name;
    }
}

void each_sample(const Check& check) {
    QFETCH(QString, name);
    const Operator& op = *find_operator(name.toStdString());
    Random random;
    for (const ScalarType dtype : kDtypes) {
        for (const Sample& sample : samples_of(op, random, dtype)) {
            std::string found;
            try {
                found = check(op, sample, dtype, random);
            } catch (const Error& error) {
                if (!refuses_dtype(error)) found = error.what();
            }
            QVERIFY2(found.empty(), in_case(dtype, sample, found).c_str());
        }
    }
}

}  // namespace loupe::sweep
