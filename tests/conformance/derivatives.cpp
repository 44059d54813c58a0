// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/derivatives.h"

#include <algorithm>
#include <array>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"
#include "core/model/program.h"
#include "core/ops/random/generator.h"
#include "tests/conformance/run_case.h"
#include "tests/support/derivative_check.h"

namespace loupe::conformance {
namespace {

// Differentiated for Hermitian inputs only (PyTorch's gradcheck_wrapper_hermitian_input).
constexpr std::array kOfHermitian =
    std::to_array<std::string_view>({"cholesky", "symeig", "linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh",
                                     "linalg.eigvalsh", "linalg.pinv.hermitian"});
// PyTorch has no double backward for them (OpInfo's supports_gradgrad is False).
constexpr std::array kOnceDifferentiable = std::to_array<std::string_view>(
    {"cdist", "nn.functional.multi_margin_loss", "nn.functional.multilabel_margin_loss", "nn.functional.hardsigmoid",
     "nn.functional.embedding_bag", "nn.functional.grid_sample", "nn.functional.pdist", "segment_reduce.lengths",
     "segment_reduce.offsets"});

template <typename Names>
bool contains(const Names& names, std::string_view op) {
    return std::find(names.begin(), names.end(), op) != names.end();
}

// float64 for every other floating point dtype, complex128 for every other complex one.
Tensor widened(const Tensor& t) {
    if (!is_differentiable(t.dtype())) return t;
    const ScalarType dtype = is_complex(t.dtype()) ? ScalarType::Complex128 : ScalarType::Float64;
    return fn::to_dtype(t, static_cast<std::int64_t>(dtype));
}

Tensor hermitian_part(const Tensor& t) {
    const Tensor turned = fn::transpose(t, -2, -1);
    return fn::mul_scalar(fn::add(t, is_complex(t.dtype()) ? fn::conj_physical(turned) : turned, Scalar(1)),
                          Scalar(0.5));
}

// The traced operator as a function of the arguments that have a gradient.
class TracedOperator {
  public:
    TracedOperator(const CaseArchive& archive, const CaseEntry& entry, const std::string& op)
        : program_(session::Program::open(archive.file(entry, "pt"))),
          method_(program_, program_->default_method(), "none"),
          is_of_hermitian_(contains(kOfHermitian, op)) {
        const NamedTensors given = archive.arrays(entry, "in.npz");
        const NamedTensors expected = archive.arrays(entry, "out.npz");
        for (std::size_t i = 0;; ++i) {
            const Tensor argument = find_array(given, concat("arg", i));
            if (!argument.defined()) break;
            // The cases hold no gradients of complex arguments: all of them are taken.
            const bool is_input = is_complex(argument.dtype()) || find_array(expected, concat("grad", i)).defined();
            arguments_.push_back(widened(argument));
            if (!is_input) continue;
            places_.push_back(i);
            inputs_.push_back(arguments_.back());
        }
    }
    const TensorList& inputs() const { return inputs_; }

    TensorList operator()(const TensorList& leaves) const {
        std::vector<IValue> arguments;
        for (const Tensor& t : arguments_) arguments.emplace_back(fn::clone(t));
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            arguments[places_[i]] = is_of_hermitian_ ? hermitian_part(leaves[i]) : leaves[i];
        }
        seed_generators(0);
        return session::flatten_tensors(method_.forward(std::move(arguments)));
    }

  private:
    std::shared_ptr<session::Program> program_;
    session::PreparedMethod method_;
    bool is_of_hermitian_;
    TensorList arguments_;
    std::vector<std::size_t> places_;
    TensorList inputs_;
};

}  // namespace

bool has_derivatives(const CaseEntry& entry) {
    const auto dtype = dtype_from_name(entry.dtype);
    return dtype && is_differentiable(*dtype) && *dtype != ScalarType::Float16 && *dtype != ScalarType::BFloat16;
}

std::string check_derivatives(const CaseArchive& archive, const CaseEntry& entry, const std::string& op) {
    return one_line([&]() -> std::string {
        const GradModeScope grad(true);
        const TracedOperator f(archive, entry, op);
        if (f.inputs().empty()) return {};
        Random random;
        const std::string first = test::check_first_derivative(f, f.inputs(), random);
        if (!first.empty() || contains(kOnceDifferentiable, op)) return first;
        return test::check_second_derivative(f, f.inputs(), random);
    });
}

}  // namespace loupe::conformance
