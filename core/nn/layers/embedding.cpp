// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.sparse.
#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.sparse";

void reset_table(Module& self) {
    const Tensor weight = tensor(self, "weight");
    init::normal_(weight);
    if (self.attribute("padding_idx").is_none()) return;
    const GradModeScope no_grad(false);
    fn::fill_(fn::select(weight, 0, integer(self, "padding_idx")), Scalar(0));
}

// The padding row by its index from the front.
IValue checked_padding(const IValue& padding_idx, std::int64_t rows, const char* message) {
    if (padding_idx.is_none()) return padding_idx;
    const std::int64_t index = padding_idx.to_int();
    if (index >= rows || index < -rows) fail_assertion(message);
    return index < 0 ? index + rows : index;
}

// A given table, or one that is drawn.
void set_table(Module& self, std::int64_t rows, std::int64_t columns, const Tensor& weight, const Factory& factory) {
    if (!weight.defined()) {
        factory.parameter(self, "weight", {rows, columns});
        reset_table(self);
        return;
    }
    if (weight.dim() != 2 || weight.size(0) != rows || weight.size(1) != columns) {
        throw Error(ErrorKind::Run, "Shape of weight does not match num_embeddings and embedding_dim");
    }
    self.register_parameter("weight", is_parameter(weight) ? weight : make_parameter(weight));
}

void init_embedding(Module& self, std::int64_t num_embeddings, std::int64_t embedding_dim, const IValue& padding_idx,
                    const IValue& max_norm, const IValue& norm_type, bool scale_grad_by_freq, bool sparse,
                    const Tensor& weight, std::optional<Device> device, std::optional<ScalarType> dtype) {
    self.set_attribute("num_embeddings", num_embeddings);
    self.set_attribute("embedding_dim", embedding_dim);
    self.set_attribute("padding_idx",
                       checked_padding(padding_idx, num_embeddings, "Padding_idx must be within num_embeddings"));
    self.set_attribute("max_norm", max_norm);
    self.set_attribute("norm_type", norm_type);
    self.set_attribute("scale_grad_by_freq", scale_grad_by_freq);
    self.set_attribute("sparse", sparse);
    set_table(self, num_embeddings, embedding_dim, weight, Factory(device, dtype));
}

void init_bag(Module& self, std::int64_t num_embeddings, std::int64_t embedding_dim, const IValue& max_norm,
              const IValue& norm_type, bool scale_grad_by_freq, std::string_view mode, bool sparse,
              const Tensor& weight, bool include_last_offset, const IValue& padding_idx, std::optional<Device> device,
              std::optional<ScalarType> dtype) {
    self.set_attribute("num_embeddings", num_embeddings);
    self.set_attribute("embedding_dim", embedding_dim);
    self.set_attribute("max_norm", max_norm);
    self.set_attribute("norm_type", norm_type);
    self.set_attribute("scale_grad_by_freq", scale_grad_by_freq);
    self.set_attribute("padding_idx",
                       checked_padding(padding_idx, num_embeddings, "padding_idx must be within num_embeddings"));
    self.set_attribute("mode", std::string(mode));
    self.set_attribute("sparse", sparse);
    self.set_attribute("include_last_offset", include_last_offset);
    set_table(self, num_embeddings, embedding_dim, weight, Factory(device, dtype));
}

std::string table_repr(const Module& self, bool is_bag) {
    const auto text = [&](const char* name) { return python_str(self.attribute(name)); };
    std::string out = concat(text("num_embeddings"), ", ", text("embedding_dim"));
    const std::string padding = self.attribute("padding_idx").is_none() ? "" : ", padding_idx=" + text("padding_idx");
    if (!is_bag) out += padding;
    if (!self.attribute("max_norm").is_none()) out += ", max_norm=" + text("max_norm");
    if (number(self, "norm_type") != 2) out += ", norm_type=" + text("norm_type");
    if (flag(self, "scale_grad_by_freq")) out += ", scale_grad_by_freq=True";
    if (is_bag) {
        const std::string mode = is_older_torch() ? text("mode") : python_repr(self.attribute("mode"));
        return concat(out, ", mode=", mode, padding);
    }
    return flag(self, "sparse") ? out + ", sparse=True" : out;
}
std::string embedding_repr(const Module& self) { return table_repr(self, false); }
std::string bag_repr(const Module& self) { return table_repr(self, true); }

constexpr LayerRecord kRecords[] = {
    {.name = "Embedding",
     .base = "Module",
     .module = kPython,
     .summary = "A table of vectors, looked up by index.",
     .constructor = "(int num_embeddings, int embedding_dim, int? padding_idx=None, Scalar? max_norm=None, Scalar "
                    "norm_type=2.0, bool "
                    "scale_grad_by_freq=False, bool sparse=False, Tensor? _weight=None, Device? device=None, "
                    "ScalarType? dtype=None)",
     .init = builds<init_embedding>,
     .calls = "embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)",
     .constants = "num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq sparse",
     .extra_repr = embedding_repr,
     .reset_parameters = reset_table},
    {.name = "EmbeddingBag",
     .base = "Module",
     .module = kPython,
     .summary = "Sums, means or maxima over bags of a table's vectors.",
     .constructor = "(int num_embeddings, int embedding_dim, Scalar? max_norm=None, Scalar norm_type=2.0, bool "
                    "scale_grad_by_freq=False, str mode=\"mean\", bool sparse=False, Tensor? _weight=None, bool "
                    "include_last_offset=False, int? padding_idx=None, Device? device=None, ScalarType? dtype=None)",
     .init = builds<init_bag>,
     .forward_schema = "(Tensor input, Tensor? offsets=None, Tensor? per_sample_weights=None) -> Tensor",
     .calls = "embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, "
              "per_sample_weights, "
              "include_last_offset, padding_idx)",
     .constants = "num_embeddings embedding_dim max_norm norm_type scale_grad_by_freq mode sparse include_last_offset "
                  "padding_idx",
     .extra_repr = bag_repr,
     .reset_parameters = reset_table},
};

}  // namespace

LayerFamily embedding_layers() { return kRecords; }

}  // namespace loupe::nn::layers
