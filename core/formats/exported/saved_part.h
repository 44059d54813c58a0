// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of torch.save inside an archive of torch.export, and the places of tensors in them.

#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/archive/zip_reader.h"
#include "core/formats/exported/program_json.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/value/ivalue.h"

namespace loupe::exported {

// Plain values and tensors; objects that the engine has no class for are None.
class PlainValues final : public NoClasses {
  public:
    IValue make(const PickleNode&, ValueBuilder&) override {
        met_object_ = true;
        return {};
    }
    IValue make_global(const std::string&) override {
        met_object_ = true;
        return {};
    }
    bool is_typed() const override { return false; }
    bool met_object() const { return met_object_; }

  private:
    bool met_object_ = false;
};

// Throws Error (File, Unsupported), which names the part.
IValue read_saved_part(const ZipReader& archive, const ZipEntry& entry, PickledClasses& classes);

// what: the tensor's name in errors.
std::vector<std::int64_t> sizes_of(const JsonValue& list, const std::string& what);
// Bytes of storage that a tensor needs. Throws Error (File) for places that no storage has.
std::uint64_t storage_extent(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                             std::int64_t offset, std::int64_t width, const std::string& what);

}  // namespace loupe::exported
