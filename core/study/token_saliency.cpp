// SPDX-License-Identifier: Apache-2.0
#include "core/study/token_saliency.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/model/inputs.h"
#include "core/model/script_output.h"
#include "core/runtime/interpreter/print.h"
#include "core/study/embedding_probe.h"
#include "core/study/kept_state.h"
#include "core/study/studies/frozen_parameters.h"
#include "core/tensor/element_walk.h"

namespace loupe::session {
namespace {

// One probe after the other: the decoder's ids may be those of the encoder.
class Probes final : public ExecutionObserver {
  public:
    Probes(EmbeddingProbe& first, EmbeddingProbe& second) : first_(first), second_(second) {}
    void before_operator(const OperatorCall& call) override {
        first_.before_operator(call);
        if (!first_.has_met()) second_.before_operator(call);
    }
    void after_operator(const OperatorCall& call) override {
        first_.after_operator(call);
        second_.after_operator(call);
    }

  private:
    EmbeddingProbe& first_;
    EmbeddingProbe& second_;
};

Tensor logit_of(const IValue& result, std::int64_t position, std::int64_t token) {
    const TensorList all = flatten_tensors(result);
    if (all.empty() || all.front().dim() < 2 || !is_floating(all.front().dtype()))
        throw Error(ErrorKind::Run, "the model gives no logits of tokens");
    Tensor row = all.front();
    while (row.dim() > 2) row = fn::select(row, 0, 0);
    if (position < 0 || position >= row.size(0) || token < 0 || token >= row.size(1))
        throw Error(ErrorKind::Usage,
                    concat("no logit [", position, ", ", token, "]: there are ", row.size(0), " by ", row.size(1)));
    return fn::select(fn::select(row, 0, position), 0, token);
}

// [1, n, width] as rows of float64.
std::vector<double> rows_of(const Tensor& t) {
    std::vector<double> out;
    const Tensor wide = fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Float64));
    walk_elements<double>(
        wide, true, [&](const double* elements, std::int64_t n) { out.insert(out.end(), elements, elements + n); });
    return out;
}

// value: what the embedding gave for so many tokens.
std::vector<TokenSaliency> saliency_of(const Tensor& gradient, const Tensor& value, std::size_t count) {
    std::vector<TokenSaliency> out(count);
    if (!gradient.defined()) return out;
    const std::vector<double> slopes = rows_of(detach(gradient)), values = rows_of(value);
    const std::size_t width = values.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
        double squares = 0;
        for (std::size_t j = i * width; j < (i + 1) * width && j < slopes.size(); ++j) {
            out[i].score += slopes[j] * values[j];
            squares += slopes[j] * slopes[j];
        }
        out[i].norm = std::sqrt(squares);
    }
    return out;
}

}  // namespace

Saliency token_saliency(const std::shared_ptr<Program>& program, const std::string& method,
                        std::vector<IValue> arguments, const std::vector<std::int64_t>& ids,
                        const std::vector<std::int64_t>& decoder_ids, std::int64_t position, std::int64_t token) {
    if (ids.empty()) throw Error(ErrorKind::Usage, "there are no tokens");
    const PreparedMethod prepared(program, method, "none");
    const KeptState kept(program->module());
    const FrozenParameters frozen(program->module());
    const WarningScope no_warnings([](const ScriptWarning&) {});
    const runtime::PrintScope no_prints([](std::string_view) {});
    const GradModeScope grad(true);
    EmbeddingProbe probe(ids), decoder_probe(decoder_ids);
    Probes probes(probe, decoder_probe);
    IValue result;
    {
        const ObserverScope observed(&probes);
        result = prepared.forward(std::move(arguments));
    }
    if (!probe.looked_up().defined())
        throw Error(ErrorKind::Run, "no embedding looks up these tokens",
                    {.hint = "gradients go to what aten::embedding gives"});
    const Tensor logit = logit_of(result, position, token);
    Saliency out;
    if (!requires_grad(logit)) throw Error(ErrorKind::Run, "the logit does not depend on the embeddings of the tokens");
    out.logit = rows_of(detach(logit)).front();
    TensorList looked_up{probe.looked_up()};
    if (!decoder_probe.waits()) looked_up.push_back(decoder_probe.looked_up());
    const TensorList gradients = gradients_of({logit}, looked_up, {}, {}, true);
    out.tokens = saliency_of(gradients.front(), probe.value(), ids.size());
    if (gradients.size() > 1)
        out.decoder_tokens = saliency_of(gradients.back(), decoder_probe.value(), decoder_ids.size());
    return out;
}

}  // namespace loupe::session
