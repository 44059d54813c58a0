// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which modules and parameters of two models are the same.

#include <map>
#include <string>
#include <vector>

#include "core/study/aligned_side.h"

namespace loupe::session {

// Module paths as far as the model or, without one, the scopes of events know them; depth first.
struct ModuleOutline {
    std::string path;
    std::string class_name;
    std::vector<TensorInfo> tensors;  // its own parameters and buffers
};
std::vector<ModuleOutline> outline_modules(const AlignedSide& side);

// Own path -> the other's: equal paths; then paths that differ in what stands before them ("module.", "backbone.");
// then by structure: last name and shapes of tensors, in order. Mends of modules go before all.
std::map<std::string, std::string> align_modules(const std::vector<ModuleOutline>& own,
                                                 const std::vector<ModuleOutline>& other,
                                                 const std::vector<AlignmentMend>& mends);

// Own name -> the other's, of parameters and buffers: of aligned modules by name; then by shape where that leaves one.
std::map<std::string, std::string> align_parameters(const std::vector<ModuleOutline>& own,
                                                    const std::vector<ModuleOutline>& other,
                                                    const std::map<std::string, std::string>& modules);

}  // namespace loupe::session
