// SPDX-License-Identifier: Apache-2.0
#include "core/session/kept_model.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/model/load_weights.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/copy_elements.h"
#include "core/tensor/device_copy.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

// Tensors of modules by their names, as state_dict has them and the others; those without a shape yet are left out.
nn::Named<Tensor> tensors_of(const Program& program) {
    nn::Named<Tensor> out;
    for (const auto& [path, module] : program.module().named_modules()) {
        const auto& attributes = module->type()->attributes();
        for (std::size_t i = 0; i < module->slot_count() && i < attributes.size(); ++i) {
            const IValue& value = module->slot(i);
            const std::string& name = attributes[i].name;
            const bool is_there = value.is_tensor() && value.to_tensor().defined() && !module->is_uninitialized(name);
            if (is_there) out.emplace_back(path.empty() ? name : concat(path, ".", name), value.to_tensor());
        }
    }
    return out;
}

void collect(const IValue& value, std::vector<Tensor>& out) {
    if (value.is_tensor()) {
        if (value.to_tensor().defined()) out.push_back(value.to_tensor());
    } else if (value.is_tuple()) {
        for (const IValue& element : value.to_tuple().elements) collect(element, out);
    } else if (value.is_list()) {
        for (const IValue& element : value.to_list().elements) collect(element, out);
    }
}

std::vector<Tensor> examples_of(const Program& program) {
    std::vector<Tensor> out;
    const EagerModel* source = program.source();
    if (source == nullptr || !source->example_inputs()) return out;
    for (const IValue& value : *source->example_inputs()) collect(value, out);
    return out;
}

// Of names, dtypes, shapes and elements; by multiplication and folding, eight bytes at a time.
class Digest {
  public:
    void add(std::span<const std::byte> bytes) {
        mix(bytes.size());
        while (bytes.size() >= 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), 8);
            mix(word);
            bytes = bytes.subspan(8);
        }
        std::uint64_t last = 0;
        if (!bytes.empty()) std::memcpy(&last, bytes.data(), bytes.size());
        mix(last);
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
    void add(const Tensor& t) {
        add(dtype_name(t.dtype()));
        for (const std::int64_t size : t.sizes()) mix(static_cast<std::uint64_t>(size));
        const Tensor row = copy_elements(on_host(t));
        add({static_cast<const std::byte*>(row.raw_data()), row.bytes()});
    }
    std::string text() const {
        char out[33];
        std::snprintf(out, sizeof out, "%016llx%016llx", static_cast<unsigned long long>(a_),
                      static_cast<unsigned long long>(b_));
        return out;
    }

  private:
    void mix(std::uint64_t word) {
        a_ = (a_ ^ word) * 0x9E3779B97F4A7C15U;
        a_ ^= a_ >> 32;
        b_ = (b_ + word) * 0xC2B2AE3D27D4EB4FU;
        b_ ^= b_ >> 29;
    }
    std::uint64_t a_ = 0x243F6A8885A308D3U;
    std::uint64_t b_ = 0x13198A2E03707344U;
};

std::string digest_of(const nn::Named<Tensor>& tensors) {
    Digest digest;
    for (const auto& [name, t] : tensors) {
        digest.add(std::string_view(name));
        digest.add(t);
    }
    return digest.text();
}

std::string digest_of(const std::vector<Tensor>& examples) {
    Digest digest;
    for (const Tensor& t : examples) digest.add(t);
    return digest.text();
}

std::string digest_of(const Program& program) {
    return concat(digest_of(tensors_of(program)), " ", digest_of(examples_of(program)));
}

bool is_alike(const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.sizes().size() == b.sizes().size() &&
           std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin());
}

// False for a tensor that cannot be written to, such as an expanded one. One that has these elements stays untouched.
bool put(const Tensor& t, const Tensor& elements) {
    if (digest_of(std::vector{t}) == digest_of(std::vector{elements})) return true;
    try {
        fn::copy_(t, elements);
        return true;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return false;
    }
}

Ptr<DictObject> new_dict() { return make_ptr<DictObject>(types::any(), types::any()); }

[[noreturn]] void damaged(const fs::path& file) {
    throw Error(ErrorKind::File, "holds no model of a session", {.file = file.string()});
}

}  // namespace

KeptModel keep_model(const Program& program, const RandomState& random, const std::string& weights_from,
                     bool with_elements) {
    KeptModel kept{random, digest_of(program), weights_from};
    if (!with_elements) return kept;
    kept.tensors = tensors_of(program);
    kept.examples = examples_of(program);
    return kept;
}

std::size_t bytes_of(const KeptModel& kept) {
    std::size_t bytes = 0;
    for (const auto& [name, t] : kept.tensors) bytes += t.bytes();
    for (const Tensor& t : kept.examples) bytes += t.bytes();
    return bytes;
}

void write_kept_model(const KeptModel& kept, const fs::path& file) {
    const auto tensors = new_dict();
    for (const auto& [name, t] : kept.tensors) tensors->set(IValue(name), t);
    const auto examples = new_dict();
    for (std::size_t i = 0; i < kept.examples.size(); ++i)
        examples->set(IValue(static_cast<std::int64_t>(i)), kept.examples[i]);
    const auto all = new_dict();
    all->set(IValue("rng_state"), python::generator_state(kept.random.cpu));
    all->set(IValue("device_rng_state"), python::device_states_value(kept.random));
    all->set(IValue("digest"), IValue(kept.digest));
    all->set(IValue("weights_from"), IValue(kept.weights_from));
    all->set(IValue("note"), IValue(kept.note));
    all->set(IValue("tensors"), tensors);
    all->set(IValue("examples"), examples);
    write_checkpoint(IValue(all), file, {.is_stream = false});
}

KeptModel read_kept_model(const fs::path& file) {
    const IValue whole = read_checkpoint(file);
    if (!whole.is_dict()) damaged(file);
    const auto in = [&](const char* name) -> const IValue& {
        const IValue* found = whole.to_dict().find(IValue(name));
        if (found == nullptr) damaged(file);
        return *found;
    };
    KeptModel kept;
    const bool is_whole = in("rng_state").is_tensor() && in("digest").is_string() && in("weights_from").is_string() &&
                          in("note").is_string() && in("tensors").is_dict() && in("examples").is_dict();
    if (!is_whole) damaged(file);
    kept.random.cpu = std::get<TwisterState>(python::generator_state_in(in("rng_state").to_tensor(), true));
    if (const IValue* devices = whole.to_dict().find(IValue("device_rng_state")))
        python::read_device_states(*devices, kept.random);
    kept.digest = in("digest").to_string();
    kept.weights_from = in("weights_from").to_string();
    kept.note = in("note").to_string();
    for (const auto& [name, value] : in("tensors").to_dict().entries()) {
        if (name.is_string() && value.is_tensor()) kept.tensors.emplace_back(name.to_string(), value.to_tensor());
    }
    for (const auto& [number, value] : in("examples").to_dict().entries()) {
        if (value.is_tensor()) kept.examples.push_back(value.to_tensor());
    }
    return kept;
}

std::string give_back(const Program& program, const KeptModel& kept) {
    if (digest_of(program) == kept.digest) return kept.note;
    if (kept.tensors.empty() && kept.examples.empty())
        return "its weights were too large to be kept, and were made anew: they are other ones than those of the run";
    const GradModeScope no_grad(false);
    const NestedCallScope nested;
    load_fitting(program.module(), kept.tensors);  // lazy layers get their shapes
    std::size_t missing = 0;
    for (const auto& own : tensors_of(program)) {
        const auto same = std::find_if(kept.tensors.begin(), kept.tensors.end(),
                                       [&](const auto& each) { return each.first == own.first; });
        const bool has_it = same != kept.tensors.end() && is_alike(own.second, same->second);
        if (!has_it || !put(own.second, same->second)) ++missing;
    }
    const std::vector<Tensor> examples = examples_of(program);
    bool are_examples_alike = examples.size() == kept.examples.size();
    for (std::size_t i = 0; i < examples.size() && i < kept.examples.size(); ++i) {
        are_examples_alike &= is_alike(examples[i], kept.examples[i]) && put(examples[i], kept.examples[i]);
    }
    if (digest_of(program) == kept.digest) return kept.note;
    if (missing > 0)
        return concat(counted(missing, "tensor"), " of it did not come back: the model is another one now");
    if (!are_examples_alike) return "the example inputs of the source are other ones now";
    return "its tensors are not those that the run had: the model is another one now";
}

std::string state_of_tensors(const Program& program) {
    std::string out;
    for (const auto& [name, t] : tensors_of(program))
        out += concat(name, " ", reinterpret_cast<std::uintptr_t>(t.storage().get()), " ", t.version(), ";");
    return out;
}

}  // namespace loupe::session
