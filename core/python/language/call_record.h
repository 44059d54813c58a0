// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which functions of a program were called: what an edit of its source needs to know. Kept while a run is recorded, and
// while a model is made.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/python/language/call_observer.h"
#include "core/python/language/frame.h"

namespace loupe::python {

// The calls of a run: of each function the first one, and those that are live. Calls outside of what is recorded, as
// conditions of breakpoints make them, do not count.
class RunCalls final : public CallObserver {
  public:
    struct Call {
        const Code* code = nullptr;
        std::uint64_t order = 0;  // of its beginning, among all calls
        std::uint64_t event = 0;  // the first that can be its own
        const Frame* frame = nullptr;
    };
    void enter(const Frame& frame) override;
    void leave(const Frame& frame, bool is_unwinding) override;

    // Null: it was not called.
    const Call* first_of(const Code& code) const;
    // The outermost first; of a run that ended in an error, those that the error left.
    const std::vector<Call>& live() const { return stack_.empty() ? failed_ : stack_; }

  private:
    std::uint64_t count_ = 0;
    std::unordered_map<const Code*, Call> first_;
    std::vector<Call> stack_;
    std::vector<Call> failed_;
};

// What ran while a model was made; calls of forward, and in it, are a trial and do not count.
class BuildCalls final : public CallObserver {
  public:
    explicit BuildCalls(std::unordered_set<const Code*>& called) : called_(called) {}
    void enter(const Frame& frame) override;
    void leave(const Frame& frame, bool is_unwinding) override;

  private:
    std::unordered_set<const Code*>& called_;
    const Frame* trial_ = nullptr;
};

}  // namespace loupe::python
