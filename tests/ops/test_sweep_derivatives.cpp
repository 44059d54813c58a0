// SPDX-License-Identifier: Apache-2.0
// Every operator that has samples: first and second derivatives agree with differences in float64.
//
// A case is added by a record's samples; nothing here knows an operator, but for the lists of exceptions below.

#include <QtTest>
#include <set>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/ops/functions.h"
#include "core/ops/operator_node.h"
#include "core/ops/random/random.h"
#include "tests/ops/sweep.h"
#include "tests/support/derivative_check.h"

using namespace loupe;
using namespace loupe::sweep;

namespace {

// Differentiated as PyTorch does, not as mathematics.
constexpr std::string_view kNotDifferentiated[] = {"aten::floor_divide", "aten::nan_to_num", "loupe::rnn_layer", "aten::scatter_reduce",
                                                   // As if all inputs were Hermitian, or triangular; vectors up to a phase.
                                                   "aten::linalg_cholesky_ex", "aten::cholesky", "aten::cholesky_inverse", "aten::cholesky_solve",
                                                   "aten::_linalg_eigh", "aten::_linalg_svd"};
// Results after the first are for the backward pass, without derivatives of their own.
constexpr std::string_view kFirstResultOnly[] = {"aten::native_group_norm"};
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

}  // namespace

class TestSweepDerivatives : public QObject {
    Q_OBJECT

  private slots:
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
    int operators_ = 0;
    std::set<const OperatorRecord*> once_;   // in the graph of a result
    std::set<const OperatorRecord*> twice_;  // in the graph of a gradient
};

QTEST_GUILESS_MAIN(TestSweepDerivatives)
#include "test_sweep_derivatives.moc"
