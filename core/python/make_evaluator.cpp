// SPDX-License-Identifier: Apache-2.0
#include "core/python/make_evaluator.h"

#include <map>
#include <vector>

#include "core/ops/numbers/warnings.h"
#include "core/python/language/foreign_type.h"
#include "core/python/library/standard_modules.h"
#include "core/python/script/object_type.h"
#include "core/python/script/torch_jit.h"
#include "core/python/torch/foreign_types.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

class AllModules final : public ModuleTable {
  public:
    AllModules() {
        for (const auto& room : {standard_modules(), torch_modules(), script_modules()}) {
            for (const ModuleRecord& record : room) records_.emplace(record.name, record);
        }
    }
    const ModuleRecord* find(std::string_view name) const override {
        const auto found = records_.find(name);
        return found != records_.end() ? &found->second : nullptr;
    }
    std::string_view replacement_for(std::string_view root) const override { return replacement_for_module(root); }

  private:
    std::map<std::string_view, ModuleRecord> records_;
};

}  // namespace

void register_engine_types() {
    register_foreign_type(IValue::Tag::Tensor, tensor_type());
    register_foreign_type(IValue::Tag::Device, device_type());
    register_foreign_type(IValue::Tag::Object, object_type());
    register_foreign_type(IValue::Tag::Enum, compiled_value_type());
    register_foreign_type(IValue::Tag::Future, compiled_value_type());
}

const ModuleTable& all_modules() {
    static const AllModules modules;
    return modules;
}

Ptr<Evaluator> make_evaluator(EvaluatorOptions options) { return make_evaluator(std::move(options), all_modules()); }

Ptr<Evaluator> make_evaluator(EvaluatorOptions options, const ModuleTable& modules) {
    static const bool is_registered = [] {
        register_engine_types();
        set_warning_taker(take_warning);
        return true;
    }();
    static_cast<void>(is_registered);
    return make_ptr<Evaluator>(modules, std::move(options));
}

}  // namespace loupe::python
