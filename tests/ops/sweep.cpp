// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/sweep.h"

#include <QTest>
#include <cmath>
#include <complex>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"

namespace loupe::sweep {
namespace {

using Numbers = std::vector<std::complex<double>>;

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

Numbers numbers_of(const Tensor& t) {
    const GradModeScope no_grad(false);
    const Tensor wide = fn::contiguous(fn::to_dtype(t, number_of(ScalarType::Complex128)), 0);
    const auto* first = wide.data<std::complex<double>>();
    return {first, first + wide.numel()};
}

bool close(std::complex<double> a, std::complex<double> b, double relative, double absolute) {
    if (a == b) return true;
    const auto part = [&](double x, double y) {
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
        if (std::isinf(x) || std::isinf(y)) return x == y;
        return std::abs(x - y) <= absolute + relative * std::max({std::abs(y), std::abs(a), std::abs(b)});
    };
    return part(a.real(), b.real()) && part(a.imag(), b.imag());
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

std::vector<IValue> call(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    call_operator(op, arguments, results.data());
    results.resize(op.result_count());
    return results;
}

std::string difference(const Tensor& actual, const Tensor& expected, double relative, double absolute) {
    if (actual.defined() != expected.defined()) return "one is undefined";
    if (!actual.defined()) return {};
    if (to_dims(actual.sizes()) != to_dims(expected.sizes()) || actual.dtype() != expected.dtype()) {
        return concat(describe(actual), " is not ", describe(expected));
    }
    const Numbers a = numbers_of(actual);
    const Numbers b = numbers_of(expected);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!close(a[i], b[i], relative, absolute)) {
            return concat("element ", i, " is (", a[i].real(), ", ", a[i].imag(), "), not (", b[i].real(), ", ",
                          b[i].imag(), ")");
        }
    }
    return {};
}

std::string difference(const Tensor& actual, const Tensor& expected, double relative) {
    return difference(actual, expected, relative, relative);
}

double precision(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
        case ScalarType::Complex128:
            return 1e-11;
        case ScalarType::BFloat16:
            return 6e-2;
        case ScalarType::Float16:
            return 2e-3;
        default:
            return 2e-6;
    }
}

IValue number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

}  // namespace loupe::sweep
