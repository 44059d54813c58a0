// SPDX-License-Identifier: Apache-2.0
#pragma once
// One zip of cases, unpacked: index.json and the files K.pt, K.in.npz, K.out.npz, ... of each case.

#include <filesystem>
#include <string>
#include <vector>

#include "core/formats/numpy/npy.h"

namespace loupe::conformance {

struct CaseEntry {
    int k = 0;
    std::string dtype;                   // what the operator was sampled for; "" for modules
    std::vector<std::string> dtypes_in;  // of each tensor argument
    std::string mode;                    // modules: "train" or "eval"
};

// Lies in a temporary folder as long as the object lives.
class CaseArchive {
  public:
    // Throws Error (File) when the zip or its index is damaged.
    explicit CaseArchive(const std::filesystem::path& zip);
    CaseArchive(const CaseArchive&) = delete;
    CaseArchive& operator=(const CaseArchive&) = delete;
    ~CaseArchive();

    const std::vector<CaseEntry>& cases() const { return cases_; }
    bool is_of_modules() const { return is_of_modules_; }
    // part: "pt", "in.npz", "out.npz", "state.npz", ...
    std::filesystem::path file(const CaseEntry& entry, const std::string& part) const;
    // The operator of a case: K.pt (TorchScript) or K.pt2 (torch.export).
    std::filesystem::path program(const CaseEntry& entry) const;
    NamedTensors arrays(const CaseEntry& entry, const std::string& part) const;

  private:
    std::filesystem::path folder_;
    std::vector<CaseEntry> cases_;
    bool is_of_modules_ = false;
};

// Undefined when there is none of the name.
Tensor find_array(const NamedTensors& arrays, const std::string& name);

}  // namespace loupe::conformance
