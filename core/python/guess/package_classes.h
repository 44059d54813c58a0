// SPDX-License-Identifier: Apache-2.0
#pragma once
// Classes that an argument of a model may be an object of: those of the source and of the files of its package that
// derive from torch.nn.Module.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/guess/nearby_texts.h"
#include "core/python/language/class.h"
#include "core/python/language/evaluator.h"

namespace loupe::python {

struct FoundClass {
    std::string name;  // "Transformer"
    std::string
        spelled;  // how the source can say it: "Transformer", "__import__('pkg.net', fromlist=['_']).Transformer"
    IValue value;
};

class PackageClasses {
  public:
    PackageClasses(Evaluator& evaluator, const Namespace& names, NearbyTexts& nearby);

    // Those whose objects have all the attributes, whole models before parts; without attributes those that are called
    // as the argument. Files of the package are imported where their text has the attributes.
    std::vector<FoundClass> with(const std::set<std::string>& attributes, std::string_view argument);

  private:
    void add_of_file(const NearbyText& file, const std::set<std::string>& attributes, std::string_view argument,
                     std::vector<FoundClass>& to);

    Evaluator& evaluator_;
    const Namespace& names_;
    NearbyTexts& nearby_;
};

}  // namespace loupe::python
