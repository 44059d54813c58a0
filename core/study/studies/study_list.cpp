// SPDX-License-Identifier: Apache-2.0
#include "core/study/studies/study_list.h"

#include <algorithm>

#include "core/study/studies/study_record.h"

namespace loupe::session {
namespace {

// The weights are those of the run that is shown, so a panel follows them; nothing is asked.
const StudyRecord kAttentionStudy{
    .name = "attention",
    .title = "Attention patterns",
    .what = "Which tokens attend to which, by layer and head: the weights of the run that is shown.",
    .paper = "Vaswani et al. 2017",
    .results = "matrix",
    .panel = "attention",
    .why_not = [](const StudySubject& subject) -> std::string {
        const auto& graph = subject.info().graph;
        if (graph == nullptr) return {};  // of a model that is evaluated a run says it
        const bool attends = std::ranges::any_of(graph->nodes, [](const GraphNode& node) {
            return node.kind.find("softmax") != std::string::npos || node.kind.find("attention") != std::string::npos ||
                   node.kind.find("Attention") != std::string::npos;
        });
        return attends ? std::string() : "its graph has no softmax and no scaled_dot_product_attention";
    },
};

}  // namespace

std::vector<const StudyRecord*> own_studies() {
    return {&kSaliencyStudy,  &kIntegratedGradientsStudy, &kGradCamStudy,     &kFeatureMapsStudy,
            &kLogitLensStudy, &kAttentionStudy,           &kEmbeddingPcaStudy};
}

}  // namespace loupe::session
