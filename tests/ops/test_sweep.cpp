// SPDX-License-Identifier: Apache-2.0
// Every operator that has samples: inferred metadata are the actual ones; strided, transposed and expanded inputs give the
// same; in-place and out= forms equal the functional one; first and second derivatives agree with differences in float64.
//
// A case is added by a record's samples; nothing here knows an operator, but for the list of exceptions below.

#include <QtTest>
#include <cmath>
#include <complex>
#include <set>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/functions.h"
#include "core/ops/operator_node.h"
#include "core/ops/out_form_table.h"
#include "core/ops/random/random.h"
#include "core/ops/registry.h"
#include "core/ops/samples.h"
#include "tests/support/derivative_check.h"

using namespace loupe;

namespace {

using Numbers = std::vector<std::complex<double>>;

// Differentiated as PyTorch does, not as mathematics.
constexpr std::string_view kNotDifferentiated[] = {"aten::floor_divide", "aten::nan_to_num", "loupe::rnn_layer", "aten::scatter_reduce",
                                                   // As if all inputs were Hermitian, or triangular; vectors up to a phase.
                                                   "aten::linalg_cholesky_ex", "aten::cholesky", "aten::cholesky_inverse", "aten::cholesky_solve",
                                                   "aten::_linalg_eigh", "aten::_linalg_svd"};
// Results that depend on how the input lies in memory.
constexpr std::string_view kLayoutMatters[] = {"aten::view", "aten::_unsafe_view", "aten::as_strided", "aten::as_strided_scatter",
                                               "aten::_reshape_alias",
                                               // Its bfloat16 products, which are rounded step by step in one layout and not in another.
                                               "aten::_native_multi_head_attention"};
// Results after the first are for the backward pass, without derivatives of their own.
constexpr std::string_view kFirstResultOnly[] = {"aten::native_group_norm"};
// How PyTorch refuses a dtype, or a derivative.
constexpr std::string_view kRefusals[] = {"not implemented for", "could not infer output dtype", "expected scalar type",
                                          "Expected floating point type", "not supported for complex",
                                          "should be between 0 and 1", "is not implemented",
                                          "grid_sampler(): expected input and grid to have same dtype",
                                          "Negation, the `-` operator, on a bool tensor is not supported"};
// Arguments that take no gradient: weights of classes, running statistics.
struct FixedArguments {
    std::string_view name;
    std::uint64_t arguments;
};
constexpr FixedArguments kFixed[] = {{"aten::nll_loss_forward", 1U << 2},   {"aten::nll_loss", 1U << 2},     {"aten::nll_loss_nd", 1U << 2},
                                     {"aten::nll_loss2d_forward", 1U << 2}, {"aten::nll_loss2d", 1U << 2},   {"aten::cross_entropy_loss", 1U << 2},
                                     {"aten::native_batch_norm", 3U << 3},  {"aten::batch_norm", 3U << 3},   {"aten::instance_norm", 3U << 3},
                                     {"aten::quantile", 1U << 1},            {"aten::nanquantile", 1U << 1},
                                     {"aten::binary_cross_entropy", 3U << 1}, {"aten::binary_cross_entropy_with_logits", 3U << 2}};

template <typename List>
bool is_listed(const List& list, const Operator& op) {
    return std::find(std::begin(list), std::end(list), op.schema.name) != std::end(list);
}

constexpr ScalarType kDtypes[] = {ScalarType::Float64, ScalarType::Float32,    ScalarType::BFloat16, ScalarType::Int64,
                                  ScalarType::UInt8,   ScalarType::Complex128, ScalarType::Bool};

IValue number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

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

double precision(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float64:
        case ScalarType::Complex128: return 1e-11;
        case ScalarType::BFloat16: return 6e-2;
        case ScalarType::Float16: return 2e-3;
        default: return 2e-6;
    }
}

// Empty when they agree.
std::string difference(const Tensor& actual, const Tensor& expected, double relative) {
    if (to_dims(actual.sizes()) != to_dims(expected.sizes()) || actual.dtype() != expected.dtype()) {
        return concat(describe(actual), " is not ", describe(expected));
    }
    const Numbers a = numbers_of(actual);
    const Numbers b = numbers_of(expected);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!close(a[i], b[i], relative, relative)) {
            return concat("element ", i, " is (", a[i].real(), ", ", a[i].imag(), "), not (", b[i].real(), ", ", b[i].imag(), ")");
        }
    }
    return {};
}

std::vector<IValue> call(const Operator& op, const std::vector<IValue>& arguments) {
    std::vector<IValue> results(std::max<std::size_t>(op.result_count(), 1));
    call_operator(op, arguments, results.data());
    results.resize(op.result_count());
    return results;
}

TensorList tensors_in(const std::vector<IValue>& values) {
    TensorList tensors;
    for (const IValue& value : values) visit_tensors(value, [&](const Tensor& t) { tensors.push_back(t); });
    return tensors;
}

// The same elements in another layout.
Tensor spaced_out(const Tensor& t) {
    Dims sizes = to_dims(t.sizes());
    sizes.push_back(2);
    const Tensor wide = empty(span_of(sizes), t.dtype());
    const Tensor view = fn::select(wide, -1, 1);
    fn::copy_(view, t);
    return view;
}
Tensor turned(const Tensor& t) {
    Dims order;
    for (std::int64_t d = t.dim(); d-- > 0;) order.push_back(d);
    if (order.empty()) return fn::clone(t);
    return fn::permute(fn::contiguous(fn::permute(t, order), 0), order);
}

template <typename Change>
IValue changed(const IValue& value, Change&& change) {
    if (value.is_tensor()) return change(value.to_tensor());
    if (!value.is_list()) return value;
    auto list = make_ptr<ListObject>(value.to_list().element_type);
    for (const IValue& element : value.to_list().elements) list->elements.push_back(changed(element, change));
    return list;
}
template <typename Change>
std::vector<IValue> changed(const std::vector<IValue>& values, Change&& change) {
    std::vector<IValue> out;
    for (const IValue& value : values) out.push_back(changed(value, change));
    return out;
}

// An operator as a function of its differentiable inputs, the others fixed.
class Differentiable {
  public:
    Differentiable(const Operator& op, const std::vector<IValue>& arguments) : op_(op), arguments_(arguments) {
        for (const FixedArguments& fixed : kFixed) {
            if (fixed.name == op.schema.name) fixed_ = fixed.arguments;
        }
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            visit_tensors(arguments[i], [&](const Tensor& t) {
                if (!is_fixed(i) && is_differentiable(t.dtype())) inputs_.push_back(t);
            });
        }
    }
    const TensorList& inputs() const { return inputs_; }

    TensorList operator()(const TensorList& leaves) const {
        std::size_t next = 0;
        std::vector<IValue> moved;
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            // What stays fixed may be written (running statistics): a copy.
            moved.push_back(changed(arguments_[i], [&](const Tensor& t) {
                return !is_fixed(i) && is_differentiable(t.dtype()) ? leaves[next++] : fn::clone(t);
            }));
        }
        TensorList results = tensors_in(call(op_, moved));
        if (is_listed(kFirstResultOnly, op_)) results.resize(1);
        return results;
    }

  private:
    bool is_fixed(std::size_t argument) const { return (fixed_ >> argument & 1) != 0; }

    const Operator& op_;
    std::vector<IValue> arguments_;
    TensorList inputs_;
    std::uint64_t fixed_ = 0;
};

// Differentiable records that no sample reaches, and why.
struct Unreached {
    std::string_view why;
    std::vector<std::string_view> names;
};
const std::vector<Unreached> kUnreached = {
    {"Hermitian, triangular or of full rank: the conformance cases hold them",
     {"aten::linalg_cholesky_ex", "aten::cholesky", "aten::cholesky_inverse", "aten::cholesky_solve", "aten::_cholesky_solve_helper",
      "aten::_linalg_eigh", "aten::symeig", "aten::linalg_lstsq"}},
    {"the cases of this folder hold them",
     {"aten::soft_margin_loss_backward", "aten::remainder.Scalar_Tensor", "aten::copysign.Scalar", "aten::where.Scalar",
      "aten::index_fill.int_Tensor", "aten::_embedding_bag", "aten::sort.stable", "aten::frexp.Tensor",
      "aten::special_xlog1py.self_scalar", "aten::special_xlog1py.other_scalar", "aten::xlogy.Scalar_Self", "aten::xlogy.Scalar_Other"}},
    {"the forms with scales (.vec), which have samples, share kernel and derivative",
     {"aten::upsample_nearest1d", "aten::upsample_nearest1d_backward", "aten::upsample_nearest2d", "aten::upsample_nearest2d_backward",
      "aten::upsample_nearest3d", "aten::upsample_nearest3d_backward", "aten::_upsample_nearest_exact1d",
      "aten::_upsample_nearest_exact1d_backward", "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact2d_backward",
      "aten::_upsample_nearest_exact3d", "aten::_upsample_nearest_exact3d_backward", "aten::upsample_linear1d",
      "aten::upsample_linear1d_backward", "aten::upsample_bilinear2d", "aten::upsample_bilinear2d_backward",
      "aten::upsample_trilinear3d", "aten::upsample_trilinear3d_backward", "aten::upsample_bicubic2d",
      "aten::upsample_bicubic2d_backward", "aten::_upsample_bilinear2d_aa", "aten::_upsample_bilinear2d_aa_backward",
      "aten::_upsample_bicubic2d_aa", "aten::_upsample_bicubic2d_aa_backward"}},
    {"right for what log_softmax gives alone: the conformance cases hold it",
     {"aten::_ctc_loss", "aten::_ctc_loss.Tensor"}},
    {"steps",
     {"aten::floor_divide", "aten::floor_divide.Scalar"}},
    {"written in place: the rules of autograd's tests",
     {"aten::copy_.int", "aten::copy_.float", "aten::fill_.Scalar", "aten::fill_.Tensor", "aten::zero_", "aten::squeeze_",
      "aten::squeeze_.dim", "aten::unsqueeze_", "aten::transpose_", "aten::t_", "aten::swapaxes_", "aten::swapdims_",
      "aten::as_strided_"}},
    {"refused, in whole or in the first argument, as in PyTorch",
     {"aten::_unique", "aten::unique_dim", "aten::unique_consecutive", "aten::unique_dim_consecutive", "aten::special_zeta",
      "aten::special_zeta.self_scalar", "aten::special_zeta.other_scalar", "aten::igamma", "aten::igammac"}},
};

// The operators in the graphs that end in the roots.
void add_operators(const TensorList& roots, std::set<const OperatorRecord*>& met) {
    std::vector<Node*> open;
    std::set<const Node*> seen;
    for (const Tensor& t : roots) open.push_back(grad_fn(t).get());
    while (!open.empty()) {
        Node* node = open.back();
        open.pop_back();
        if (node == nullptr || !seen.insert(node).second) continue;
        if (const auto* of_operator = dynamic_cast<const OperatorNode*>(node)) met.insert(of_operator->op().record);
        for (const Edge& edge : node->next_edges()) open.push_back(edge.node.get());
    }
}

std::string in_case(ScalarType dtype, const Sample& sample, const std::string& what) {
    return concat(dtype_name(dtype), sample.name.empty() ? "" : ", ", sample.name, ": ", what);
}

}  // namespace

class TestSweep : public QObject {
    Q_OBJECT

  private slots:
    void metadata_data() { list_operators(); }
    void metadata() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType, Random&) -> std::string {
            const auto inferred = infer_outputs(op, sample.arguments);
            if (!inferred) return {};
            const TensorList actual = tensors_in(call(op, sample.arguments));
            if (inferred->size() != actual.size()) return concat(inferred->size(), " results inferred, ", actual.size(), " made");
            for (std::size_t i = 0; i < actual.size(); ++i) {
                const TensorMeta& meta = (*inferred)[i];
                const Dims strides = meta.strides.empty() ? contiguous_strides(span_of(meta.sizes)) : meta.strides;
                if (meta.sizes != to_dims(actual[i].sizes()) || meta.dtype != actual[i].dtype() || strides != to_dims(actual[i].strides())) {
                    return concat("inferred ", dtype_name(meta.dtype), " ", shape_text(span_of(meta.sizes)), ", made ", describe(actual[i]));
                }
            }
            return {};
        });
    }

    void layouts_data() { list_operators(); }
    void layouts() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            if (is_listed(kLayoutMatters, op)) return {};
            const TensorList expected = tensors_in(call(op, sample.arguments));
            for (const auto layout : {spaced_out, turned}) {
                const TensorList actual = tensors_in(call(op, changed(sample.arguments, layout)));
                for (std::size_t i = 0; i < actual.size(); ++i) {
                    const std::string found = difference(actual[i], expected[i], precision(dtype));
                    if (!found.empty()) return concat(layout == turned ? "transposed: " : "strided: ", found);
                }
            }
            return {};
        });
    }

    void variants_data() { list_operators(); }
    void variants() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            const TensorList expected = tensors_in(call(op, sample.arguments));
            for (const std::string_view overload : out_overloads(op)) {
                const Operator* out_form = find_operator(op.schema.name, overload);
                if (out_form == nullptr) return "no out= form";
                const GradModeScope no_grad(false);
                std::vector<IValue> arguments = sample.arguments;
                for (const Tensor& t : expected) arguments.emplace_back(empty({}, t.dtype()));
                const TensorList actual = tensors_in(call(*out_form, arguments));
                for (std::size_t i = 0; i < actual.size(); ++i) {
                    const std::string found = difference(actual[i], expected[i], precision(dtype));
                    if (!found.empty()) return concat("out=: ", found);
                }
            }
            if ((op.record->variants & kInPlace) != 0) {
                const Operator* form = find_operator(op.schema.name + "_", op.schema.overload);
                if (form == nullptr) return "no in-place form";
                const Tensor self = sample.arguments[0].to_tensor();
                // In place neither shape nor dtype can change.
                if (to_dims(self.sizes()) != to_dims(expected[0].sizes()) || !can_cast(expected[0].dtype(), self.dtype())) return {};
                std::vector<IValue> arguments = sample.arguments;
                arguments[0] = fn::clone(self);
                const Tensor actual = call(*form, arguments)[0].to_tensor();
                if (!actual.is_same(arguments[0].to_tensor())) return "in place: another tensor came back";
                const Tensor wanted = fn::to_dtype(expected[0], number_of(self.dtype()));
                const std::string found = difference(actual, wanted, precision(dtype));
                if (!found.empty()) return concat("in place: ", found);
            }
            return {};
        });
    }

    // Into a tensor that is given nothing is recorded; PyTorch refuses when something should be.
    void outFormsRefuseGradients() {
        Tensor x = random_tensor(shared_, {3}, ScalarType::Float32);
        set_requires_grad(x, true);
        for (const char* name : {"aten::neg.out", "aten::cumsum.out", "aten::im2col.out", "aten::msort.out"}) {
            const Operator& op = *find_operator(name);
            std::vector<IValue> arguments{x};
            for (std::size_t i = 1; i + 1 < op.argument_count(); ++i) arguments.emplace_back(op.schema.arguments[i].name == "dim" ? IValue(0) : IValue());
            arguments.emplace_back(empty({}, ScalarType::Float32));
            const std::string wanted = concat(std::string_view(op.schema.name).substr(6), "(): functions with out=... arguments don't support "
                                              "automatic differentiation, but one of the arguments requires grad.");
            try {
                call(op, arguments);
                QFAIL("did not refuse");
            } catch (const Error& error) {
                QCOMPARE(QString::fromStdString(error.message()), QString::fromStdString(wanted));
            }
        }
    }

    void derivatives_data() { list_operators(); }
    void derivatives() {
        each_sample([this](const Operator& op, const Sample& sample, ScalarType dtype, Random& random) -> std::string {
            if (dtype != ScalarType::Float64 && dtype != ScalarType::Complex128) return {};
            if (op.record->is_gradient_stop || is_listed(kNotDifferentiated, op)) return {};
            if (!op.is_composite() && !op.record->derivative) return {};
            const Differentiable f(op, sample.arguments);
            if (f.inputs().empty()) return {};
            const std::string first =
                test::check_first_derivative(f, f.inputs(), random, [this](const TensorList& roots) { add_operators(roots, once_); });
            if (!first.empty()) return first;
            return test::check_second_derivative(f, f.inputs(), random, [this](const TensorList& roots) { add_operators(roots, twice_); });
        });
        ++operators_;
    }

    // Behind all derivatives: which records they have gone through.
    void coverage() {
        if (operators_ < 100) QSKIP("the derivatives were not swept");
        std::set<const OperatorRecord*> all;
        std::vector<std::string> missing, needless;
        for (const Operator* op : all_operators()) {
            if (!op->record->derivative || op->variant != OperatorVariant::Functional || !all.insert(op->record).second) continue;
            const bool is_reached = once_.count(op->record) + twice_.count(op->record) > 0;
            const bool is_listed_unreached = std::any_of(kUnreached.begin(), kUnreached.end(), [&](const Unreached& entry) {
                return std::find(entry.names.begin(), entry.names.end(), op->full_name) != entry.names.end();
            });
            if (!is_reached && !is_listed_unreached && !op->record->is_random) missing.push_back(op->full_name);
            if (is_reached && is_listed_unreached) needless.push_back(op->full_name);
        }
        qInfo("%d operators swept; of %zu records with a derivative %zu were differentiated, and %zu stood in a second derivative", operators_,
              all.size(), once_.size(), twice_.size());
        for (const std::string& name : missing) qWarning("%s has neither samples nor a reason", name.c_str());
        for (const std::string& name : needless) qWarning("%s is reached: it needs no reason", name.c_str());
        QVERIFY(missing.empty() && needless.empty());
    }

  private:
    Random shared_;
    int operators_ = 0;
    std::set<const OperatorRecord*> once_;   // in the graph of a result
    std::set<const OperatorRecord*> twice_;  // in the graph of a gradient

    static std::vector<std::string_view> out_overloads(const Operator& op) {
        std::vector<std::string_view> overloads;
        if ((op.record->variants & kOut) != 0) overloads.push_back(op.record->out_overload);
        for (const OutForm& form : out_form_table()) {
            if (form.of == op.full_name) overloads.push_back(form.overload);
        }
        return overloads;
    }

    static void list_operators() {
        QTest::addColumn<QString>("name");
        for (const Operator* op : all_operators()) {
            if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random) continue;
            const QString name = QString::fromStdString(op->full_name);
            QTest::newRow(qPrintable(name)) << name;
        }
    }

    template <typename Check>
    static void each_sample(Check&& check) {
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

    static bool refuses_dtype(const Error& error) {
        return std::any_of(std::begin(kRefusals), std::end(kRefusals),
                           [&](std::string_view words) { return error.message().find(words) != std::string::npos; });
    }

    static std::vector<Sample> samples_of(const Operator& op, Random& random, ScalarType dtype) {
        try {
            return op.record->samples(random, dtype);
        } catch (const Error& error) {
            if (refuses_dtype(error)) return {};
            throw std::runtime_error(concat(dtype_name(dtype), ", drawing: ", error.what()));
        }
    }
};

QTEST_GUILESS_MAIN(TestSweep)
#include "test_sweep.moc"
