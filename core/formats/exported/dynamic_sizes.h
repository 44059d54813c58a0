// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which sizes of a program's inputs may differ from the example's.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/exported/program_parts.h"
#include "core/formats/exported/symbols.h"
#include "core/formats/format_writer.h"

namespace loupe::exported {

struct DynamicSizes {
    std::map<std::string, std::int64_t> hints;  // of each symbol: its value in the example
    std::map<std::string, SymbolRange> ranges;
    // Of the n-th tensor inside an argument: its sizes.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<SymbolExpression>> sizes;
    std::map<std::size_t, SymbolExpression> values;  // of arguments that are whole numbers

    // Null where all are those of the example.
    const std::vector<SymbolExpression>* sizes_of(std::size_t argument, std::size_t tensor) const;
    const SymbolExpression* value_of(std::size_t argument) const;
};

// From the option "dynamic" ("arg0:0=batch", "arg1.2:1=2*batch", or an argument's name); of a program that was read the
// sizes that it was exported with. Throws Error (Usage).
DynamicSizes read_dynamic_sizes(const WriteRequest& request, const std::vector<std::string>& argument_names,
                                const ProgramParts* parts);

}  // namespace loupe::exported
