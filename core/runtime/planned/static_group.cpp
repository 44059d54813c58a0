// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/planned/static_group.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/interceptor.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe::runtime {
namespace {

// The key of a program: numbers among the inputs, and layouts of the tensors.
class Signature {
  public:
    explicit Signature(std::span<const IValue> inputs) : threads_(thread_count()) {
        for (const IValue& input : inputs) values_.push_back(described(input));
    }
    // Inputs that no signature distinguishes.
    bool is_known() const { return is_known_; }

    bool matches(std::span<const IValue> inputs) const {
        std::size_t tensor = 0;
        if (inputs.size() != values_.size() || threads_ != thread_count()) return false;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!matches(values_[i], inputs[i], inputs, tensor)) return false;
        }
        return true;
    }

  private:
    struct Layout {
        Dims sizes;
        Dims strides;
        ScalarType dtype;
        bool is_number;
        std::size_t same_as;    // the first tensor that is the same object
        std::size_t beside;     // the first tensor on the same memory,
        std::int64_t distance;  // and how far from it
    };

    // The value with its tensors left out.
    IValue described(const IValue& value) {
        if (value.is_tensor()) {
            add(value.to_tensor());
            return IValue::other(make_ptr<RefCounted>());
        }
        const auto all = [&](const std::vector<IValue>& elements) {
            std::vector<IValue> described_elements;
            for (const IValue& element : elements) described_elements.push_back(described(element));
            return described_elements;
        };
        if (value.is_list()) return make_ptr<ListObject>(value.to_list().element_type, all(value.to_list().elements));
        if (value.is_tuple()) return make_ptr<TupleObject>(all(value.to_tuple().elements), value.to_tuple().type);
        if (value.is_dict()) {
            const auto dict = make_ptr<DictObject>(value.to_dict().key_type, value.to_dict().value_type);
            for (const auto& [key, element] : value.to_dict().entries()) {
                is_known_ = is_known_ && !key.is_tensor();
                dict->set(key, described(element));
            }
            return dict;
        }
        const bool is_plain = value.is_none() || value.is_number() || value.is_string() || value.is_device() ||
                              value.is_object() || value.is_enum();
        is_known_ = is_known_ && is_plain;
        return value;
    }

    void add(const Tensor& t) {
        const std::size_t here = layouts_.size();
        Layout layout{to_dims(t.sizes()), to_dims(t.strides()), t.dtype(), t.impl()->wrapped_number, here, here, 0};
        for (std::size_t i = here; i-- > 0;) {
            if (tensors_[i].is_same(t)) layout.same_as = i;
            if (tensors_[i].storage() == t.storage()) layout.beside = i;
        }
        layout.distance = t.storage_offset() - (layout.beside < here ? tensors_[layout.beside] : t).storage_offset();
        layouts_.push_back(std::move(layout));
        // For comparison only: shapes without memory.
        tensors_.push_back(t);
    }

  public:
    // Once all are described the tensors themselves are of no use.
    void clear_tensors() { tensors_.clear(); }

  private:
    static const TensorImpl* nth_tensor(std::span<const IValue> inputs, std::size_t n) {
        const TensorImpl* found = nullptr;
        for (const IValue& input : inputs) {
            visit_tensors(input, [&](const Tensor& t) {
                if (n-- == 0) found = t.impl();
            });
            if (found != nullptr) break;
        }
        return found;
    }

    bool matches(const IValue& own, const IValue& given, std::span<const IValue> inputs, std::size_t& tensor) const {
        if (given.is_tensor()) return own.is_other() && matches(given, inputs, tensor);
        if (own.tag() != given.tag()) return false;
        const auto all = [&](const std::vector<IValue>& a, const std::vector<IValue>& b) {
            if (a.size() != b.size()) return false;
            for (std::size_t i = 0; i < a.size(); ++i) {
                if (!matches(a[i], b[i], inputs, tensor)) return false;
            }
            return true;
        };
        if (given.is_list()) return all(own.to_list().elements, given.to_list().elements);
        if (given.is_tuple()) return all(own.to_tuple().elements, given.to_tuple().elements);
        if (given.is_dict()) {
            const auto& a = own.to_dict().entries();
            const auto& b = given.to_dict().entries();
            if (a.size() != b.size()) return false;
            // In the order in which they are unpacked.
            return std::equal(a.begin(), a.end(), b.begin(), [&](const auto& x, const auto& y) {
                return !y.first.is_tensor() && x.first.tag() == y.first.tag() && values_equal(x.first, y.first) &&
                       matches(x.second, y.second, inputs, tensor);
            });
        }
        return own.is_same(given) || (!given.is_object() && values_equal(own, given));
    }

    bool matches(const IValue& given, std::span<const IValue> inputs, std::size_t& tensor) const {
        if (tensor >= layouts_.size()) return false;
        const TensorImpl& t = *given.tensor_impl();
        const Layout& layout = layouts_[tensor];
        if (t.dtype != layout.dtype || t.sizes != layout.sizes || t.strides != layout.strides ||
            t.wrapped_number != layout.is_number)
            return false;
        if (t.storage->device().type != DeviceType::Cpu) return false;
        for (std::size_t i = 0; i < tensor; ++i) {
            const TensorImpl& before = *nth_tensor(inputs, i);
            if ((&before == &t && layout.same_as > i) || (before.storage == t.storage && layout.beside > i))
                return false;
            if (layout.same_as == i && &before != &t) return false;
            if (layout.beside == i && (before.storage != t.storage || t.offset - before.offset != layout.distance))
                return false;
        }
        ++tensor;
        return true;
    }

    std::vector<IValue> values_;
    std::vector<Layout> layouts_;
    std::vector<Tensor> tensors_;
    int threads_;
    bool is_known_ = true;
};

bool need_gradient(std::span<const IValue> inputs) {
    bool needed = false;
    if (!GradMode::is_enabled()) return false;
    for (const IValue& input : inputs) {
        if (input.is_object()) return true;  // its parameters may
        visit_tensors(input, [&](const Tensor& t) { needed = needed || (t.defined() && requires_grad(t)); });
    }
    return needed;
}

bool has_undefined(std::span<const IValue> inputs) {
    bool has = false;
    for (const IValue& input : inputs) {
        visit_tensors(input, [&](const Tensor& t) { has = has || !t.defined(); });
    }
    return has;
}

}  // namespace

class StaticGroup::State {
  public:
    explicit State(Ptr<const Code> code) : code_(std::move(code)) {}

    void run(std::span<const IValue> inputs, IValue* outputs) {
        // Observed or differentiated runs need each operator.
        const bool is_watched = execution_observer() != nullptr || loupe::detail::thread_interceptor != nullptr;
        if (is_watched || need_gradient(inputs) || has_undefined(inputs)) return run_plain(inputs, outputs);
        Entry* entry = find(inputs);
        last_ = entry;
        if (entry == nullptr || !entry->refusal.empty()) return run_plain(inputs, outputs);
        if (entry->program && !entry->program->holds()) *entry = Entry(std::move(entry->signature));
        if (entry->program) {
            if (entry->program->run(inputs, outputs)) return;
            *entry = Entry(std::move(entry->signature));
        } else if (entry->is_warm) {
            return run_captured(*entry, inputs, outputs);
        }
        entry->is_warm = true;
        run_plain(inputs, outputs);
    }

    std::vector<std::string> tune(std::span<const IValue> inputs) {
        std::vector<IValue> results(code_->output_count());
        run_plain(inputs, results.data());
        Entry* entry = find(inputs);
        last_ = entry;
        if (entry == nullptr || !entry->refusal.empty()) return {};
        run_captured(*entry, inputs, results.data());
        return entry->program ? entry->program->tune(inputs) : std::vector<std::string>();
    }

    void prefer(std::string signature, std::vector<std::string> backends) {
        preferred_signature_ = std::move(signature);
        preferred_ = std::move(backends);
    }

    const Code& code() const { return *code_; }
    const StaticProgram* program() const { return last_ == nullptr ? nullptr : last_->program.get(); }
    const std::string& refusal() const {
        static const std::string kTooMany = "more shapes than are kept";
        static const std::string kNone;
        return last_ == nullptr ? (entries_.size() >= kMost ? kTooMany : kNone) : last_->refusal;
    }
    const ir::Node* refused_at() const { return last_ == nullptr ? nullptr : last_->refused_at; }
    std::size_t program_count() const {
        return static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(),
                                                      [](const auto& entry) { return entry->program != nullptr; }));
    }

  private:
    static constexpr std::size_t kMost = 16;

    struct Entry {
        explicit Entry(Signature s) : signature(std::move(s)) {}
        Signature signature;
        bool is_warm = false;
        Ptr<StaticProgram> program;
        std::string refusal;
        const ir::Node* refused_at = nullptr;
    };

    Entry* find(std::span<const IValue> inputs) {
        for (const auto& entry : entries_) {
            if (entry->signature.matches(inputs)) return entry.get();
        }
        if (entries_.size() >= kMost) return nullptr;
        auto entry = std::make_unique<Entry>(Signature(inputs));
        entry->signature.clear_tensors();
        if (!entry->signature.is_known()) entry->refusal = "an input that is neither tensor nor number";
        entries_.push_back(std::move(entry));
        return entries_.back().get();
    }

    void run_plain(std::span<const IValue> inputs, IValue* outputs) {
        std::vector<IValue> results = run_code(*code_, {inputs.begin(), inputs.end()});
        std::move(results.begin(), results.end(), outputs);
    }

    void run_captured(Entry& entry, std::span<const IValue> inputs, IValue* outputs) {
        const Capture capture = capture_run(*code_, inputs, CaptureElements::Real);
        std::copy(capture.outputs.begin(), capture.outputs.end(), outputs);
        entry.refusal = capture.refusal;
        entry.refused_at = capture.refused_at;
        if (!entry.refusal.empty()) return;
        entry.program = make_ptr<StaticProgram>(capture);
        if (!preferred_.empty() && signature_text(inputs) == preferred_signature_) entry.program->prefer(preferred_);
    }

    Ptr<const Code> code_;
    std::string preferred_signature_;
    std::vector<std::string> preferred_;
    std::vector<std::unique_ptr<Entry>> entries_;
    Entry* last_ = nullptr;
};

StaticGroup::StaticGroup(Ptr<const Code> code) : state_(std::make_unique<State>(std::move(code))) {}
StaticGroup::~StaticGroup() = default;
void StaticGroup::run(std::span<const IValue> inputs, IValue* outputs) { state_->run(inputs, outputs); }
std::vector<std::string> StaticGroup::tune(std::span<const IValue> inputs) { return state_->tune(inputs); }
void StaticGroup::prefer(std::string signature, std::vector<std::string> backends) {
    state_->prefer(std::move(signature), std::move(backends));
}
const Code& StaticGroup::code() const { return state_->code(); }
const StaticProgram* StaticGroup::program() const { return state_->program(); }
const std::string& StaticGroup::refusal() const { return state_->refusal(); }
const ir::Node* StaticGroup::refused_at() const { return state_->refused_at(); }
std::size_t StaticGroup::program_count() const { return state_->program_count(); }

std::string signature_text(std::span<const IValue> inputs) {
    std::string text;
    for (const IValue& input : inputs) {
        bool has_tensor = false;
        visit_tensors(input, [&](const Tensor& t) {
            has_tensor = true;
            text += t.defined() ? concat(dtype_name(t.dtype()), " ", shape_list_text(t.sizes()), " ",
                                         shape_list_text(t.strides()), "; ")
                                : "undefined; ";
        });
        if (!has_tensor && !input.is_object()) text += concat(python_repr(input), "; ");
    }
    return text;
}

void run_static_subgraph(const StructuralCall& call) {
    static const ir::Symbol kSignature = ir::Symbol::intern("signature");
    static const ir::Symbol kBackends = ir::Symbol::intern("backends");
    Ptr<RefCounted>& kept = call.code->group_states[&call.node];
    if (!kept) {
        auto group = make_ptr<StaticGroup>(Code::make(call.node.g(ir::attr::Subgraph), call.code->function_name()));
        if (call.node.has_attribute(kBackends))
            group->prefer(call.node.s(kSignature), call.node.attribute<std::vector<std::string>>(kBackends));
        kept = group;
    }
    static_cast<StaticGroup&>(*kept).run({call.inputs, call.instruction.input_count}, call.outputs);
}

namespace {

void collect(const ir::Block& block, const Code& code, std::vector<StaticGroupPlace>& found) {
    for (const ir::Node* node : block.nodes()) {
        const auto state = code.group_states.find(node);
        if (state != code.group_states.end()) {
            if (auto group = boost::dynamic_pointer_cast<const StaticGroup>(state->second))
                found.push_back({node, std::move(group)});
        }
        for (std::size_t b = 0; b < node->block_count(); ++b) collect(*node->block_at(b), code, found);
    }
}

}  // namespace

std::vector<StaticGroupPlace> static_groups(const Code& code) {
    std::vector<StaticGroupPlace> found;
    collect(*code.graph().block(), code, found);
    return found;
}

}  // namespace loupe::runtime
