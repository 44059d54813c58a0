// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a name is bound to that was imported and is not here. It stands in annotations, as a base class, as a decorator;
// its first real use raises ModuleNotFoundError, or ImportError where only the name is unknown.

#include <memory>
#include <string>
#include <string_view>

#include "core/python/language/object.h"

namespace loupe::python {

// One import that was not found.
struct MissingImport {
    std::string reason;    // "No module named 'scipy'"
    std::string place;     // "model.py:3"; empty when it is not known
    std::string hint;      // what to use instead; may be empty
    bool is_name = false;  // the module is here, the name in it is not
};

class MissingName final : public PythonObject {
  public:
    // path: as the program says it: "scipy.signal.lfilter".
    MissingName(std::shared_ptr<const MissingImport> import, std::string path)
        : import_(std::move(import)), path_(std::move(path)) {}
    const std::string& path() const { return path_; }
    // What a statement made of it: a class with such a base, a function with such a decorator.
    Ptr<MissingName> derived(std::string name, std::string_view how) const;
    // Of it: "scipy.signal(...)".
    Ptr<MissingName> result() const { return make_ptr<MissingName>(import_, path_ + "(...)"); }
    // "No module named 'scipy' (imported at model.py:3); scipy.signal is used here".
    std::string message() const;
    [[noreturn]] void fail() const;

    std::string type_name() const override { return "missing name"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    void set_attribute(std::string_view name, IValue value) override;
    IValue get_item(const IValue& key) override;
    void set_item(const IValue& key, IValue value) override;
    Ptr<Iterator> iterate() override;
    std::optional<std::int64_t> length() override;
    bool truth() override;
    std::string repr() override;
    IValue call(CallArguments arguments) override;

  private:
    std::shared_ptr<const MissingImport> import_;
    std::string path_;
};

}  // namespace loupe::python
