// SPDX-License-Identifier: Apache-2.0
#pragma once
// Generators: a function with yield runs on a stack of its own and stands still there between two values.

#include <exception>
#include <memory>

#include "core/python/language/fiber.h"
#include "core/python/language/frame.h"

namespace loupe::python {

class Generator final : public Iterator {
  public:
    Generator(Ptr<FunctionObject> function, std::unique_ptr<Frame> frame);
    ~Generator() override;

    std::string type_name() const override { return "generator"; }
    std::string repr() override;
    std::optional<IValue> find_attribute(std::string_view name) override;
    std::optional<IValue> next() override { return resume({}, nullptr); }
    // Goes on with the value as the result of `yield`, or with the exception raised there. nullopt at the end.
    std::optional<IValue> resume(IValue sent, Ptr<ExceptionObject> thrown);
    void close();
    // What the function returned.
    const IValue& result() const { return result_; }

    // Called by the code that runs inside.
    IValue yield(IValue value);
    IValue yield_from(const IValue& iterable);

  private:
    void run();
    std::optional<IValue> finish();

    Ptr<FunctionObject> function_;
    std::unique_ptr<Frame> frame_;
    std::unique_ptr<Fiber> fiber_;
    IValue yielded_;
    IValue sent_;
    Ptr<ExceptionObject> thrown_;
    std::exception_ptr failure_;
    IValue result_;
    bool is_running_ = false;
    bool is_finished_ = false;
    bool is_abandoned_ = false;
    std::uintptr_t own_stack_end_ = 0;
};

// StopIteration with the value.
[[noreturn]] void throw_stop_iteration(IValue value);

}  // namespace loupe::python
