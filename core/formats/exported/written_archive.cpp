// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/written_archive.h"

#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/exported/program_enums.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/packed.h"

namespace loupe::exported {
namespace {

Json sizes_json(IntSpan sizes) {
    Json out = Json::array();
    for (const std::int64_t size : sizes) out.push_back(Json{{"as_int", size}});
    return out;
}

Json meta_json(const WrittenTensor& each) {
    const Tensor& tensor = each.tensor;
    return Json{{"dtype", serialized_dtype(tensor.dtype())},
                {"sizes", sizes_json(tensor.sizes())},
                {"requires_grad", each.requires_grad},
                {"device", {{"type", "cpu"}, {"index", nullptr}}},
                {"strides", sizes_json(tensor.strides())},
                {"storage_offset", {{"as_int", tensor.storage_offset()}}},
                {"layout", kStridedLayout}};
}

class ArchiveWriter {
  public:
    explicit ArchiveWriter(const FileTarget& target)
        : zip_(target), root_(concat(target.path.stem().string(), "/")), name_(target.path) {}

    void write(const WrittenProgram& program) {
        add_tensors("data/weights/", "weight_", "model_weights_config.json", program.weights);
        add_tensors("data/constants/", "tensor_", "model_constants_config.json", program.constants);
        const std::string text = program.program.dump();
        add("models/model.json", text);
        add("data/sample_inputs/model.pt", saved(program.sample_inputs));
        add("archive_format", "pt2");
        add("archive_version", "0");
        add(".data/version", "6\n");
        add("byteorder", "little");
        // PyTorch's is a hash of names and checksums. Readers only carry it.
        add(".data/serialization_id", concat(std::string(20, '0'), digits(hash_of(text))));
        zip_.finish();
    }

  private:
    void add(const std::string& name, std::string_view payload) { zip_.add(root_ + name, payload); }

    void add_tensors(const std::string& folder, const std::string& prefix, const std::string& config_name,
                     std::vector<WrittenTensor> tensors) {
        UnpackedOnce unpacked;
        for (WrittenTensor& each : tensors) each.tensor = unpacked(each.tensor);
        std::unordered_map<const Storage*, std::string> written;
        Json config = Json::object();
        std::uint64_t bytes = 0;
        for (const WrittenTensor& each : tensors) bytes += each.tensor.storage()->bytes();
        zip_.reserve(bytes);
        for (const WrittenTensor& each : tensors) {
            std::string& path = written[each.tensor.storage().get()];
            if (path.empty()) {
                path = concat(prefix, written.size() - 1);
                const Ptr<Storage> storage = on_host(each.tensor.storage());
                zip_.add(concat(root_, folder, path),
                         {{static_cast<const std::byte*>(storage->data()), storage->bytes()}});
            }
            config[each.name] = Json{{"path_name", path},
                                     {"is_param", each.is_parameter},
                                     {"use_pickle", false},
                                     {"tensor_meta", meta_json(each)}};
        }
        add(folder + config_name, Json{{"config", std::move(config)}}.dump());
    }

    // A file of torch.save; empty without inputs.
    std::string saved(const IValue& value) const {
        if (value.is_none()) return {};
        const auto memory = std::make_shared<const FileHandle>(memory_file());
        write_checkpoint(value, FileTarget(std::filesystem::path("model.pt"), memory));
        const Ptr<MappedFile> file = MappedFile::map(*memory, name_);
        const auto bytes = file->bytes();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    static std::uint64_t hash_of(std::string_view text) {
        std::uint64_t hash = 14695981039346656037U;  // FNV-1a
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
        return hash;
    }
    static std::string digits(std::uint64_t value) {
        std::string text = std::to_string(value);
        return std::string(20 - std::min<std::size_t>(text.size(), 20), '0') + text;
    }

    ZipWriter zip_;
    std::string root_;
    std::filesystem::path name_;
};

}  // namespace

void write_program_archive(const WrittenProgram& program, const FileTarget& target) {
    ArchiveWriter(target).write(program);
}

}  // namespace loupe::exported
