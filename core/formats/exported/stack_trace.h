// SPDX-License-Identifier: Apache-2.0
#pragma once
// Places in the user's files, from the stack traces in nodes' metadata.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/source.h"

namespace loupe::exported {

struct TraceFrame {
    std::string_view file;
    std::size_t line = 0;  // counted from 1
    std::string_view function;
    std::string_view text;  // the line
};

// Outermost first; what is no frame is skipped.
std::vector<TraceFrame> parse_stack_trace(std::string_view trace);

// The files that frames name: their known lines in place, others empty.
class TraceSources {
  public:
    // First all frames, so that each file is one source.
    void note(const std::vector<TraceFrame>& frames);
    void finish();
    // The line of a frame; empty when there is none.
    ir::SourceRange range_of(const TraceFrame& frame) const;
    // In order of names, those of libraries last.
    std::vector<std::shared_ptr<const ir::Source>> sources() const;

  private:
    std::map<std::string, std::map<std::size_t, std::string>, std::less<>> lines_;
    std::map<std::string, std::shared_ptr<const ir::Source>, std::less<>> sources_;
    std::size_t total_ = 0;
};

}  // namespace loupe::exported
