// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the free names of a source text mean.

#include <string_view>

#include "core/script/sugared_value.h"

namespace loupe::script {

class Resolver : public RefCounted {
  public:
    // Null when the name means nothing.
    virtual SugaredPtr resolve_value(Builder& builder, std::string_view name, Range range) = 0;
    // Of a qualified name; null when it names no type.
    virtual TypePtr resolve_type(std::string_view name) = 0;
};

}  // namespace loupe::script
