// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/serialize.h>

#include "core/base/file.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/library/torch/call.h"
#include "core/value/schema.h"

using namespace loupe::torch_api;

namespace torch {
namespace {

// Of files of torch.save that hold tensors and plain values.
class PlainClasses final : public loupe::PickledClasses {
  public:
    loupe::IValue make(const loupe::PickleNode&, loupe::ValueBuilder&) override {
        throw loupe::Error(loupe::ErrorKind::Unsupported,
                           "holds an object of a class, which pickle_load does not make");
    }
    loupe::TypePtr parse_type(std::string_view annotation) override { return loupe::parse_type(annotation); }
};

}  // namespace

c10::IValue pickle_load(const std::vector<char>& bytes) {
    return translated([&] {
        const loupe::FileHandle memory = loupe::memory_file();
        loupe::write_at(memory, 0, std::string_view(bytes.data(), bytes.size()), "pickled bytes");
        PlainClasses classes;
        return c10::IValue(loupe::read_checkpoint(loupe::MappedFile::map(memory, "pickled bytes"), classes));
    });
}

std::vector<char> pickle_save(const c10::IValue& value) {
    return translated([&] {
        const auto memory = std::make_shared<loupe::FileHandle>(loupe::memory_file());
        loupe::write_checkpoint(value.engine(), loupe::FileTarget("pickled bytes", memory));
        const std::string bytes = loupe::contents_of(*memory, "pickled bytes");
        return std::vector<char>(bytes.begin(), bytes.end());
    });
}

}  // namespace torch
