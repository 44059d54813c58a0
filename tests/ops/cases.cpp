// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/cases.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cmath>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/call.h"
#include "core/dispatch/dispatch.h"
#include "core/value/schema.h"

namespace {

using namespace loupe;

double real_from(const QJsonValue& json) {
    return json.isString() ? json.toString().toDouble() : json.toDouble();  // "nan", "inf"
}

Dims dims_from(const QJsonArray& json) {
    Dims dims;
    for (const QJsonValue value : json) dims.push_back(value.toInteger());
    return dims;
}

// Calls visit with the offset of each element from the first, in row-major order.
template <typename Visit>
void for_each_offset(const Tensor& t, Visit visit) {
    Dims index(t.sizes().size(), 0);
    for (std::int64_t n = 0; n < t.numel(); ++n) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * t.strides()[d];
        visit(offset);
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < t.sizes()[d]) break;
            index[d] = 0;
        }
    }
}

Tensor tensor_from(const QJsonObject& json) {
    const ScalarType dtype = dtype_from_name(json["t"].toString().toStdString()).value();
    const Dims sizes = dims_from(json["s"].toArray());
    const Dims strides = json.contains("st") ? dims_from(json["st"].toArray()) : contiguous_strides(span_of(sizes));
    const Tensor t = empty_strided(span_of(sizes), span_of(strides), dtype);
    const QJsonArray values = json["v"].toArray();
    qsizetype next = 0;
    visit_any_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
        for_each_offset(t, [&](std::int64_t offset) {
            const QJsonValue value = values[next++];
            if constexpr (is_complex(scalar_type_of<T>)) {
                t.data<T>()[offset] = T(std::complex<double>(real_from(value[0]), real_from(value[1])));
            } else if constexpr (std::is_same_v<T, bool>) {
                t.data<T>()[offset] = value.toBool();
            } else if constexpr (std::is_same_v<T, std::uint64_t>) {  // JSON's numbers end at 2^63
                t.data<T>()[offset] =
                    value.isString() ? value.toString().toULongLong() : static_cast<T>(value.toInteger());
            } else if constexpr (std::is_integral_v<T>) {
                t.data<T>()[offset] = static_cast<T>(value.toInteger());
            } else {
                t.data<T>()[offset] =
                    T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(real_from(value)));
            }
        });
    });
    if (json["rg"].toBool()) set_requires_grad(t, true);
    return t;
}

IValue value_from(const QJsonValue& json);

std::vector<IValue> values_from(const QJsonArray& json) {
    std::vector<IValue> values;
    for (const QJsonValue value : json) values.push_back(value_from(value));
    return values;
}

IValue value_from(const QJsonValue& json) {
    if (json.isNull()) return {};
    if (json.isBool()) return json.toBool();
    if (json.isString()) return json.toString().toStdString();
    const QJsonObject object = json.toObject();
    if (object.contains("i")) return std::int64_t{object["i"].toString().toLongLong()};
    if (object.contains("f")) return object["f"].toString().toDouble();
    if (object.contains("c")) return std::complex<double>(real_from(object["c"][0]), real_from(object["c"][1]));
    if (object.contains("t")) return tensor_from(object);
    if (object.contains("dev")) return parse_device(object["dev"].toString().toStdString());
    if (object.contains("u")) return make_ptr<TupleObject>(values_from(object["u"].toArray()));
    if (object.contains("d")) {
        const QJsonArray types = object["d"].toArray();
        auto dict = make_ptr<DictObject>(parse_type(types[0].toString().toStdString()),
                                         parse_type(types[1].toString().toStdString()));
        for (const QJsonValue entry : object["v"].toArray()) dict->set(value_from(entry[0]), value_from(entry[1]));
        return dict;
    }
    return make_ptr<ListObject>(parse_type(object["l"].toString().toStdString()), values_from(object["v"].toArray()));
}

bool close(double a, double b, double tolerance) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
}

// Empty when they match.
std::string tensor_difference(const Tensor& got, const Tensor& want, double tolerance) {
    if (!got.defined()) return "is undefined";
    if (describe(got) != describe(want)) return concat("is ", describe(got), ", should be ", describe(want));
    std::vector<std::complex<double>> elements;
    const auto read = [](const Tensor& t, std::vector<std::complex<double>>& out) {
        const Dims none;
        for_each_offset(t, [&](std::int64_t offset) {
            if (t.dtype() == ScalarType::UInt64) {
                const std::uint64_t bits = t.data<std::uint64_t>()[offset];
                out.emplace_back(static_cast<double>(bits >> 32), static_cast<double>(bits & 0xffffffffU));
                return;
            }
            const Tensor one = t.view_as_strided(span_of(none), span_of(none), t.storage_offset() + offset);
            out.push_back(item(one).to_complex());
        });
    };
    std::vector<std::complex<double>> wanted;
    read(got, elements);
    read(want, wanted);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (!close(elements[i].real(), wanted[i].real(), tolerance) ||
            !close(elements[i].imag(), wanted[i].imag(), tolerance)) {
            return concat("element ", i, " is ", elements[i].real(), ", should be ", wanted[i].real());
        }
    }
    return {};
}

std::string difference(const IValue& got, const IValue& want, double tolerance) {
    if (want.is_tensor() && got.is_tensor()) return tensor_difference(got.to_tensor(), want.to_tensor(), tolerance);
    if (want.is_list() && got.is_list()) {
        const auto& a = got.to_list().elements;
        const auto& b = want.to_list().elements;
        if (a.size() != b.size()) return concat("has ", a.size(), " elements, should have ", b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (const std::string text = difference(a[i], b[i], tolerance); !text.empty())
                return concat("[", i, "] ", text);
        }
        return {};
    }
    if (want.is_double() && got.is_double()) {
        return close(got.to_double(), want.to_double(), tolerance)
                   ? ""
                   : concat("is ", got.to_double(), ", should be ", want.to_double());
    }
    if (want.is_complex() && got.is_complex()) {
        const auto a = got.to_complex();
        const auto b = want.to_complex();
        return close(a.real(), b.real(), tolerance) && close(a.imag(), b.imag(), tolerance)
                   ? ""
                   : concat("is ", python_repr(got), ", should be ", python_repr(want));
    }
    if (got.tag() == want.tag() && values_equal(got, want)) return {};
    return concat("is ", python_repr(got), ", should be ", python_repr(want));
}

std::string stride_difference(const IValue& got, const QJsonValue& want) {
    if (got.is_tensor()) {
        const Tensor t = got.to_tensor();
        const Dims strides = dims_from(want["st"].toArray());
        if (!std::ranges::equal(t.strides(), strides)) {
            return concat("has strides ", shape_list_text(t.strides()), ", should have ",
                          shape_list_text(span_of(strides)));
        }
        if (t.storage_offset() != want["o"].toInteger()) return concat("starts at ", t.storage_offset());
        return {};
    }
    const QJsonArray all = want.toArray();
    for (qsizetype i = 0; i < all.size(); ++i) {
        const std::string text = stride_difference(got.to_list().elements[static_cast<std::size_t>(i)], all[i]);
        if (!text.empty()) return concat("[", i, "] ", text);
    }
    return {};
}

void check_gradients(const QJsonObject& wanted, double tolerance, const std::vector<IValue>& arguments,
                     const IValue* results) {
    TensorList roots;
    TensorList cotangents;
    const QJsonArray given = wanted["cotangents"].toArray();
    std::vector<Tensor> flat;
    for (qsizetype i = 0; i < wanted["results"].toInteger(); ++i) {
        visit_tensors(results[i], [&](const Tensor& t) { flat.push_back(t); });
    }
    for (qsizetype i = 0; i < given.size(); ++i) {
        if (given[i].isNull()) continue;
        roots.push_back(flat[static_cast<std::size_t>(i)]);
        cotangents.push_back(tensor_from(given[i].toObject()));
    }
    try {
        backward(roots, cotangents);
    } catch (const Error& error) {
        QFAIL(error.what());
    }
    const QJsonArray grads = wanted["grads"].toArray();
    qsizetype next = 0;
    for (const IValue& argument : arguments) {
        visit_tensors(argument, [&](const Tensor& t) {
            if (!requires_grad(t) || !is_leaf(t)) return;
            const QJsonValue grad = grads[next++];
            if (grad.isNull()) {
                // PyTorch 1.13 gives none to some tensors without elements, 2.15 an empty one.
                QVERIFY2(!grad_of(t).defined() || grad_of(t).numel() == 0,
                         concat("gradient ", next - 1, " is defined, should not be").c_str());
                return;
            }
            const std::string text = tensor_difference(grad_of(t), tensor_from(grad.toObject()), tolerance);
            QVERIFY2(text.empty(), concat("gradient ", next - 1, " ", text).c_str());
        });
    }
}

}  // namespace

void OperatorCases::call_data() {
    QTest::addColumn<QJsonObject>("wanted");
    QFile file(QString(LOUPE_SOURCE_DIR "/tests/ops/cases/%1.json").arg(file_));
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
    const QJsonArray cases = QJsonDocument::fromJson(file.readAll()).array();
    QVERIFY(!cases.isEmpty());
    int number = 0;
    for (const QJsonValue one : cases) {
        QTest::addRow("%d %s", number++, qPrintable(one["op"].toString())) << one.toObject();
    }
}

void OperatorCases::call() {
    QFETCH(QJsonObject, wanted);
    const Operator* op = find_operator(wanted["op"].toString().toStdString());
    QVERIFY2(op != nullptr, "no such operator");
    std::vector<IValue> arguments = values_from(wanted["args"].toArray());
    // Later releases have added padding_side.
    if (op->full_name == "aten::pad_sequence") detail::fill_default_arguments(*op, arguments);
    if (!op->schema.is_vararg) QCOMPARE(arguments.size(), op->argument_count());
    std::array<IValue, 8> results;
    std::string message;
    const TorchReleaseScope release(TorchRelease::V1_13);  // which wrote them
    try {
        call_operator(*op, arguments, results.data());
    } catch (const Error& error) {
        message = error.message();
        if (error.kind() == ErrorKind::Internal) QFAIL(error.what());
    }
    if (wanted.contains("error")) {
        QVERIFY2(!message.empty(), "no error");
        const QString text = wanted["error"].toString();
        QVERIFY2(QString::fromStdString(message).contains(text),
                 qPrintable(QString::fromStdString(message) + " <> " + text));
        return;
    }
    QVERIFY2(message.empty(), message.c_str());
    const double tolerance = wanted["tolerance"].toDouble();
    const QJsonArray want = wanted["want"].toArray();
    for (qsizetype i = 0; i < want.size(); ++i) {
        const std::string text = difference(results[static_cast<std::size_t>(i)], value_from(want[i]), tolerance);
        QVERIFY2(text.empty(), concat("result ", i, " ", text).c_str());
    }
    const QJsonArray strides = wanted["strides"].toArray();
    for (qsizetype i = 0; i < strides.size(); ++i) {
        const std::string text = stride_difference(results[static_cast<std::size_t>(i)], strides[i]);
        QVERIFY2(text.empty(), concat("result ", i, " ", text).c_str());
    }
    const QJsonArray after = wanted["after"].toArray();
    for (qsizetype i = 0; i < after.size(); ++i) {
        const std::string text = difference(arguments[static_cast<std::size_t>(i)], value_from(after[i]), tolerance);
        QVERIFY2(text.empty(), concat("argument ", i, " afterwards ", text).c_str());
    }
    if (wanted.contains("gradient"))
        check_gradients(wanted["gradient"].toObject(), std::max(tolerance, 1e-5), arguments, results.data());
}
