// SPDX-License-Identifier: Apache-2.0
// Every operator that has samples: first and second derivatives agree with differences in float64.
//
// A case is added by a record's samples; nothing here knows an operator, but for the lists of exceptions below.

#include <QtTest>
#include <set>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/operator_node.h"
#include "core/ops/random/random.h"
#include "tests/ops/sweep.h"
#include "tests/support/derivative_check.h"

using namespace loupe;
using namespace loupe::sweep;

namespace {

// Results after these are for the backward pass, without derivatives of their own.
struct DifferentiableResults {
    std::string_view name;
    std::size_t count;
};
constexpr DifferentiableResults kResults[] = {
    {"aten::native_group_norm", 1}, {"aten::linalg_lstsq", 1}, {"loupe::rnn_layer", 3}};
// Vectors that are known up to a phase: their absolute values are differentiated.
constexpr std::string_view kUpToPhase[] = {"aten::_linalg_eigh", "aten::_linalg_svd", "aten::symeig"};

// What an operator takes for granted of an argument. The derivative holds along such changes only: the argument is made
// so first.
Tensor hermitian(const Tensor& t, const std::vector<IValue>&) {
    static const OperatorHandle<> adjoint{"aten::mH"};
    return fn::mul_scalar(fn::add(t, adjoint(t), Scalar(1)), Scalar(0.5));
}
// With a real diagonal, as a Cholesky factor has.
Tensor triangular(const Tensor& t, const std::vector<IValue>& arguments) {
    const Tensor real =
        is_complex(t.dtype()) ? fn::mul_scalar(fn::add(t, fn::conj_physical(t), Scalar(1)), Scalar(0.5)) : t;
    const Tensor diagonal = fn::tril(fn::triu(real, 0), 0);
    return fn::add(diagonal, arguments.back().to_bool() ? fn::triu(t, 1) : fn::tril(t, -1), Scalar(1));
}
Tensor log_probabilities(const Tensor& t, const std::vector<IValue>&) {
    return fn::log_softmax(t, std::int64_t{-1}, IValue());
}
struct Granted {
    std::string_view name;
    std::size_t argument;
    Tensor (*make)(const Tensor& t, const std::vector<IValue>& arguments);
};
constexpr Granted kGranted[] = {
    {"aten::linalg_cholesky_ex", 0, hermitian},  {"aten::cholesky", 0, hermitian},
    {"aten::_linalg_eigh", 0, hermitian},        {"aten::symeig", 0, hermitian},
    {"aten::linalg_matrix_sqrth", 0, hermitian}, {"aten::cholesky_inverse", 0, triangular},
    {"aten::cholesky_solve", 1, triangular},     {"aten::_cholesky_solve_helper", 1, triangular},
    {"aten::_ctc_loss", 0, log_probabilities}};
// Arguments that take no gradient: weights of classes, running statistics.
struct FixedArguments {
    std::string_view name;
    std::uint64_t arguments;
};
constexpr FixedArguments kFixed[] = {{"aten::nll_loss_forward", 1U << 2},
                                     {"aten::nll_loss", 1U << 2},
                                     {"aten::nll_loss_nd", 1U << 2},
                                     {"aten::nll_loss2d_forward", 1U << 2},
                                     {"aten::nll_loss2d", 1U << 2},
                                     {"aten::cross_entropy_loss", 1U << 2},
                                     {"aten::native_batch_norm", 3U << 3},
                                     {"aten::batch_norm", 3U << 3},
                                     {"aten::instance_norm", 3U << 3},
                                     {"aten::quantile", 1U << 1},
                                     {"aten::nanquantile", 1U << 1},
                                     {"aten::binary_cross_entropy", 3U << 1},
                                     {"aten::binary_cross_entropy_with_logits", 3U << 2},
                                     {"aten::special_zeta", 1U << 0},
                                     {"aten::igamma", 1U << 0},
                                     {"aten::igammac", 1U << 0},
                                     {"aten::soft_margin_loss_backward", 1U << 2}};

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
            // What stays fixed may be written (running statistics): a copy. A leaf must not be: one too.
            const bool is_written = ((op_.written_arguments | op_.written_elements) >> i & 1) != 0;
            moved.push_back(changed(arguments_[i], [&](const Tensor& t) {
                if (is_fixed(i) || !is_differentiable(t.dtype())) return fn::clone(t);
                return is_written ? fn::clone(leaves[next++]) : granted(i, leaves[next++]);
            }));
        }
        TensorList results = tensors_in(call(op_, moved));
        for (const DifferentiableResults& entry : kResults) {
            if (entry.name == op_.schema.name) results.resize(entry.count);
        }
        if (is_listed(kUpToPhase, op_))
            std::transform(results.begin(), results.end(), results.begin(), [](const Tensor& t) { return fn::abs(t); });
        return results;
    }

  private:
    Tensor granted(std::size_t argument, const Tensor& t) const {
        for (const Granted& entry : kGranted) {
            if (entry.name == op_.schema.name && entry.argument == argument) return entry.make(t, arguments_);
        }
        return t;
    }
    bool is_fixed(std::size_t argument) const { return (fixed_ >> argument & 1) != 0; }

    const Operator& op_;
    std::vector<IValue> arguments_;
    TensorList inputs_;
    std::uint64_t fixed_ = 0;
};

// What PyTorch refuses to differentiate, and so the engine.
constexpr std::string_view kRefused[] = {"aten::_unique", "aten::unique_dim", "aten::unique_consecutive",
                                         "aten::unique_dim_consecutive", "aten::special_zeta.other_scalar"};

// Steps, whose gradient is by definition that of a line: no difference shows it. PyTorch's own gradients are held by
// test_ops_quantized.
bool is_straight_through(const Operator& op) {
    return op.schema.name.find("fake_quant") != std::string::npos ||
           op.schema.name == "aten::_fused_moving_avg_obs_fq_helper";
}

// Refused where no device reaches memory of the host: test_device_streams differentiates it.
bool needs_a_device(const Operator& op) { return op.full_name == "aten::_pin_memory"; }

// Of float32 alone, in which differences show little: test_packed_weights holds them to the products with what the
// packed weights stand for.
bool is_of_float_alone(const Operator& op) {
    return op.schema.name == "gguf::linear" || op.schema.name == "gguf::product";
}

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
            if (op.record->is_gradient_stop || is_straight_through(op)) return {};
            if (!op.is_composite() && !op.record->derivative) return {};
            const Differentiable f(op, sample.arguments);
            if (f.inputs().empty()) return {};
            const std::string first = test::check_first_derivative(
                f, f.inputs(), random, [this](const TensorList& roots) { add_operators(roots, once_); });
            if (!first.empty()) return first;
            return test::check_second_derivative(f, f.inputs(), random,
                                                 [this](const TensorList& roots) { add_operators(roots, twice_); });
        });
        ++operators_;
    }

    // Behind all derivatives: which records they have gone through.
    void coverage() {
        if (operators_ < 100) QSKIP("the derivatives were not swept");
        std::set<const OperatorRecord*> all;
        std::vector<std::string> missing, needless;
        for (const Operator* op : all_operators()) {
            if (is_straight_through(*op) || is_of_float_alone(*op) || needs_a_device(*op)) continue;
            if (!op->record->derivative || op->variant != OperatorVariant::Functional || !all.insert(op->record).second)
                continue;
            const bool is_reached = once_.count(op->record) + twice_.count(op->record) > 0;
            const bool is_refused =
                std::find(std::begin(kRefused), std::end(kRefused), op->full_name) != std::end(kRefused);
            if (!is_reached && !is_refused && !op->record->is_random) missing.push_back(op->full_name);
            if (is_reached && is_refused) needless.push_back(op->full_name);
        }
        qInfo(
            "%d operators swept; of %zu records with a derivative %zu were differentiated, and %zu stood in a second "
            "derivative",
            operators_, all.size(), once_.size(), twice_.size());
        for (const std::string& name : missing) qWarning("no sample goes through the derivative of %s", name.c_str());
        for (const std::string& name : needless) qWarning("%s is differentiated: it is not refused", name.c_str());
        QVERIFY(missing.empty() && needless.empty());
    }

  private:
    int operators_ = 0;
    std::set<const OperatorRecord*> once_;   // in the graph of a result
    std::set<const OperatorRecord*> twice_;  // in the graph of a gradient
};

QTEST_GUILESS_MAIN(TestSweepDerivatives)
#include "test_sweep_derivatives.moc"
