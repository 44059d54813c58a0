// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions of a graph that has no modules to name them by, as of an ONNX or an exported model: each is named by its
// output, as the graph prints it.

#include <functional>
#include <string>
#include <vector>

#include "core/autograd/observer.h"
#include "core/study/studies/study_record.h"

namespace loupe::session {

// "conv2d_3", in program order, of the method's own graph and its blocks. Empty for a model that is evaluated from
// source, and where only modules that the graph calls have any.
std::vector<std::string> graph_convolutions(const StudySubject& subject);

// Calls made with what convolutions of a graph give, while it observes a run.
class ConvolutionObserver final : public ExecutionObserver {
  public:
    using Made = std::function<void(const std::string& name, const Tensor& output)>;

    ConvolutionObserver(const std::vector<std::string>& names, Made made);
    void after_operator(const OperatorCall& call) override;

  private:
    const std::vector<std::string>& names_;
    Made made_;
};

}  // namespace loupe::session
