// SPDX-License-Identifier: Apache-2.0
// Every operator that has samples: inferred metadata are the actual ones, with no elements or no dimensions too;
// strided, transposed and expanded inputs give the same; in-place and out= forms equal the functional one.
//
// A case is added by a record's samples; nothing here knows an operator, but for the list of exceptions below.

#include <QtTest>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "tests/ops/sweep.h"

using namespace loupe;
using namespace loupe::sweep;

namespace {

// Expanded matrices have no inverse: what is left of the elimination depends on its order.
constexpr std::string_view kSingularWhenExpanded[] = {"aten::linalg_inv_ex", "aten::linalg_solve_ex",
                                                      "aten::linalg_tensorinv"};
// Results that depend on how the input lies in memory.
constexpr std::string_view kLayoutMatters[] = {
    "aten::view", "aten::_unsafe_view", "aten::as_strided", "aten::as_strided_", "aten::as_strided_scatter",
    "aten::_reshape_alias",
    // Its bfloat16 products, which are rounded step by step in one layout and not in another.
    "aten::_native_multi_head_attention"};
template <typename List>
bool is_listed(const List& list, const Operator& op) {
    return std::find(std::begin(list), std::end(list), op.schema.name) != std::end(list);
}

Tensor plain(const Tensor& t) { return fn::contiguous(fn::clone(t), 0); }

std::string difference_of(const TensorList& actual, const TensorList& expected, double relative) {
    if (actual.size() != expected.size()) return concat(actual.size(), " results, not ", expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const std::string found = difference(actual[i], expected[i], relative);
        if (!found.empty()) return concat("result ", i, ": ", found);
    }
    return {};
}

struct Outcome {
    TensorList results;
    std::string refusal;
};
Outcome outcome_of(const Operator& op, const std::vector<IValue>& arguments) {
    try {
        return {tensors_in(call(op, arguments)), {}};
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Internal) throw std::runtime_error(error.what());
        return {{}, error.message()};
    }
}

// What `infer` says against what comes back.
std::string inferred_difference(const Operator& op, const std::vector<IValue>& arguments) {
    const auto inferred = infer_outputs(op, arguments);
    if (!inferred) return {};
    const TensorList actual = tensors_in(call(op, arguments));
    if (inferred->size() != actual.size())
        return concat(inferred->size(), " results inferred, ", actual.size(), " made");
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const TensorMeta& meta = (*inferred)[i];
        const Dims strides = meta.strides.empty() ? contiguous_strides(span_of(meta.sizes)) : meta.strides;
        if (meta.sizes != to_dims(actual[i].sizes()) || meta.dtype != actual[i].dtype() ||
            strides != to_dims(actual[i].strides())) {
            return concat("inferred ", dtype_name(meta.dtype), " ", shape_text(span_of(meta.sizes)), ", made ",
                          describe(actual[i]));
        }
    }
    return {};
}

// A call at the edge: refused, or answered as inferred and alike in another layout.
std::string edge_difference(const Operator& op, const std::vector<IValue>& arguments, double relative) {
    const Outcome expected = outcome_of(op, changed(arguments, plain));
    if (expected.refusal.empty()) {
        const std::string found = inferred_difference(op, changed(arguments, plain));
        if (!found.empty()) return found;
    }
    if (is_listed(kLayoutMatters, op)) return {};
    const Outcome actual = outcome_of(op, changed(arguments, spaced_out));
    if (actual.refusal != expected.refusal) return concat("strided: ", actual.refusal, " <> ", expected.refusal);
    return difference_of(actual.results, expected.results, relative);
}

}  // namespace

class TestSweep : public QObject {
    Q_OBJECT

  private slots:
    void metadata_data() { list_operators(); }
    void metadata() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType, Random&) {
            return inferred_difference(op, sample.arguments);
        });
    }

    void layouts_data() { list_operators(); }
    void layouts() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            if (is_listed(kLayoutMatters, op)) return {};
            const TensorList expected = tensors_in(call(op, changed(sample.arguments, plain)));
            for (const auto layout : {spaced_out, turned}) {
                const TensorList actual = tensors_in(call(op, changed(sample.arguments, layout)));
                const std::string found = difference_of(actual, expected, precision(dtype));
                if (!found.empty()) return concat(layout == turned ? "transposed: " : "strided: ", found);
            }
            return {};
        });
    }

    void expanded_data() { list_operators(); }
    void expanded() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            if (is_listed(kLayoutMatters, op) || is_listed(kSingularWhenExpanded, op)) return {};
            const std::uint64_t written = op.written_arguments | op.written_elements | op.unmarked_writes;
            for (const std::int64_t dim : {0, -1}) {
                std::vector<IValue> arguments;
                for (std::size_t i = 0; i < sample.arguments.size(); ++i) {
                    // What is written must not have elements in one place.
                    const bool is_written = (written >> i & 1) != 0;
                    arguments.push_back(changed(sample.arguments[i], [&](const Tensor& t) {
                        return is_written ? plain(t) : expanded_along(t, dim);
                    }));
                }
                const Outcome expected = outcome_of(op, changed(arguments, plain));
                const Outcome actual = outcome_of(op, arguments);
                if (actual.refusal != expected.refusal)
                    return concat("expanded: ", actual.refusal, " <> ", expected.refusal);
                const std::string found = difference_of(actual.results, expected.results, precision(dtype));
                if (!found.empty()) return concat("expanded along ", dim, ": ", found);
            }
            return {};
        });
    }

    // Whether PyTorch takes these is in edges.txt; here that nothing else than an answer or a refusal comes back.
    void noElements_data() { list_operators(); }
    void noElements() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            for (const EmptyCall& empty_call : emptied(sample.arguments)) {
                const std::string found = edge_difference(op, empty_call.arguments, precision(dtype));
                if (!found.empty()) return concat("0 for ", empty_call.size, ": ", found);
            }
            return {};
        });
    }

    void noDimensions_data() { list_operators(); }
    void noDimensions() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            return edge_difference(op, changed(sample.arguments, first_element), precision(dtype));
        });
    }

    void variants_data() { list_operators(); }
    void variants() {
        each_sample([](const Operator& op, const Sample& sample, ScalarType dtype, Random&) -> std::string {
            const TensorList expected = tensors_in(call(op, sample.arguments));
            if ((op.record->variants & kOut) != 0) {
                const Operator* out_form = find_operator(op.schema.name, op.record->out.overload);
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
                if (to_dims(self.sizes()) != to_dims(expected[0].sizes()) ||
                    !can_cast(expected[0].dtype(), self.dtype()))
                    return {};
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
            for (std::size_t i = 1; i + 1 < op.argument_count(); ++i)
                arguments.emplace_back(op.schema.arguments[i].name == "dim" ? IValue(0) : IValue());
            arguments.emplace_back(empty({}, ScalarType::Float32));
            const std::string wanted = concat(std::string_view(op.schema.name).substr(6),
                                              "(): functions with out=... arguments don't support "
                                              "automatic differentiation, but one of the arguments requires grad.");
            try {
                call(op, arguments);
                QFAIL("did not refuse");
            } catch (const Error& error) {
                QCOMPARE(QString::fromStdString(error.message()), QString::fromStdString(wanted));
            }
        }
    }

  private:
    Random shared_;
};

QTEST_GUILESS_MAIN(TestSweep)
#include "test_sweep.moc"
