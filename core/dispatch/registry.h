// SPDX-License-Identifier: Apache-2.0
#pragma once
// All operators by name, and the kernels of each by device.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/record.h"
#include "core/value/schema.h"

namespace loupe {

struct KernelCandidate {
    std::string backend;  // "onednn"
    KernelFunction kernel = nullptr;
    AcceptFunction accepts = nullptr;  // null: accepts everything
};

// The candidates of one record, by device, first to be asked first. Shared by its variants.
struct KernelTable {
    std::array<std::vector<KernelCandidate>, kDeviceTypes> candidates;
};

// A Save of the record, its places resolved.
struct SavedPlace {
    std::int8_t index = 0;
    bool is_result = false;
    std::int8_t if_needed = -1;  // -1: always
};

enum class OperatorVariant : std::uint8_t { Functional, InPlace, Out };

class Operator {
  public:
    const OperatorRecord* record = nullptr;
    OperatorVariant variant = OperatorVariant::Functional;
    FunctionSchema schema;
    std::string full_name;  // "aten::add.Tensor"
    std::string node_name;  // "AddBackward0"
    std::string_view family;
    std::shared_ptr<KernelTable> kernels;

    // Derived from schema and record.
    std::uint64_t tensor_arguments = 0;     // bit i: argument i is a Tensor or Tensor?
    std::uint64_t list_arguments = 0;       // bit i: argument i is a Tensor[] or Tensor?[]
    std::uint64_t written_arguments = 0;    // bit i: argument i is written; of a list, the list itself
    std::uint64_t written_elements = 0;     // bit i: the tensors in list i are written
    std::uint64_t unmarked_writes = 0;      // bit i: argument i is written, though the schema does not say so
    std::vector<std::int8_t> result_alias;  // per result: the argument it aliases, -1 none
    bool is_view = false;                   // some result aliases an argument that is not written
    bool is_multi_output_view = false;
    bool works_anywhere = false;              // its kernel takes tensors of any device
    std::int8_t device_argument = -1;         // the device to make results on; -1: none
    DtypeSet dtypes = kCommonDtypes;          // of tensors that it takes and gives
    bool takes_sparse = false;                // its kernel does; others go to record->sparse.run
    std::vector<std::int32_t> argument_keys;  // of the arguments' names, as ArgumentPlace has them
    std::vector<SavedPlace> saves;

    // Throws Error (Internal) for a name that the schema lacks.
    std::size_t place_of(ArgumentPlace argument) const;
    std::size_t argument_count() const { return schema.arguments.size(); }
    std::size_t result_count() const { return schema.returns.size(); }
    bool is_composite() const { return record->composite != nullptr; }
    bool is_pure() const { return written_arguments == 0 && written_elements == 0 && !record->is_random; }
};

// Null when there is none. overload "" is the overload without a name.
const Operator* find_operator(std::string_view name, std::string_view overload);
const Operator* find_operator(std::string_view full_name);
// All overloads of a name in order of registration, which is the order of overload resolution.
std::span<const Operator* const> operators_named(std::string_view name);
std::span<const Operator* const> all_operators();

// For plugins, at start: puts a candidate before those there are. False when the operator is unknown.
bool register_kernel(std::string_view full_name, DeviceType device, KernelCandidate candidate);
// For plugins, at start: more operators. The records must outlive the process.
void register_family(const OperatorFamily& family);

}  // namespace loupe
