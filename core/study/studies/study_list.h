// SPDX-License-Identifier: Apache-2.0
#pragma once
// The studies of the engine, each one file of its name.

#include <vector>

namespace loupe::session {

struct StudyRecord;

extern const StudyRecord kSaliencyStudy;
extern const StudyRecord kIntegratedGradientsStudy;
extern const StudyRecord kGradCamStudy;
extern const StudyRecord kFeatureMapsStudy;
extern const StudyRecord kLogitLensStudy;
extern const StudyRecord kEmbeddingPcaStudy;

// In the order in which they are listed.
std::vector<const StudyRecord*> own_studies();

}  // namespace loupe::session
