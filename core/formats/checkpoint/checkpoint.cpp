// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/checkpoint.h"

#include <string>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/raw_tensor.h"
#include "core/formats/checkpoint/tar_checkpoint.h"
#include "core/formats/pickle/numpy_values.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/formats/pickle/torch_archive.h"

namespace loupe {
namespace {

// The pickled number 0x1950a86a20f9469cfc6c.
constexpr std::string_view kLegacyMagic = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8\x50\x19.";
constexpr std::int64_t kLegacyProtocol = 1001;

// A storage of a legacy stream is its number of elements and their bytes, unaligned: it is copied.
class StreamStorages final : public StorageSource {
  public:
    void add(const std::string& key, Ptr<Storage> storage) { storages_[key] = std::move(storage); }
    Ptr<Storage> open(const std::string& key, ScalarType, std::uint64_t bytes) override {
        const auto found = storages_.find(key);
        if (found == storages_.end()) throw_file_error(concat("no data for storage ", quote_name(key)));
        if (found->second->bytes() < bytes) throw_file_error(concat("storage ", quote_name(key), " is too short"));
        return found->second;
    }

  private:
    std::unordered_map<std::string, Ptr<Storage>> storages_;
};

// Modules in streams have ids too.
bool is_storage_id(const PickleNode& persistent) {
    const PickleNode& id = *persistent.persistent_id();
    return !id.is(PickleKind::Tuple) || id.elements().empty() || !id.elements()[0]->is(PickleKind::String) ||
           id.elements()[0]->to_string() != "module";
}

// The pickle's element type of each storage.
std::unordered_map<std::string, ScalarType> storage_dtypes(const Pickle& pickle) {
    std::unordered_map<std::string, ScalarType> dtypes;
    for (const PickleNode& node : pickle.nodes()) {
        if (!node.is(PickleKind::Persistent) || !is_storage_id(node)) continue;
        const StorageId id = parse_storage_id(node);
        if (!id.is_typed) throw_file_error("untyped storage in a legacy checkpoint");
        const auto [known, is_new] = dtypes.emplace(id.key, id.dtype);
        if (known->second != id.dtype) throw_file_error(concat("storage ", quote_name(id.key), " has two types"));
    }
    return dtypes;
}

StreamStorages read_stream_storages(const Pickle& value, ByteReader& reader, std::span<const std::byte> bytes) {
    const Pickle keys = read_pickle(bytes.subspan(reader.position()));
    reader.skip(keys.size());
    const auto dtypes = storage_dtypes(value);
    StreamStorages storages;
    for (const PickleRef key : keys.root()->elements()) {
        const auto dtype = dtypes.find(key->to_string());
        if (dtype == dtypes.end())
            throw_file_error(concat("data of an unknown storage ", quote_name(key->to_string())));
        const auto width = static_cast<std::uint64_t>(element_size(dtype->second));
        const auto numel = reader.little<std::uint64_t>();
        if (numel > reader.remaining() / width) reader.take(reader.remaining() + 1);
        auto storage = copy_to_storage(reader.take(numel * width), MemoryCategory::Other);
        if (dtype->second == ScalarType::Bool)
            normalise_bools({static_cast<std::byte*>(storage->data()), storage->bytes()});
        storages.add(key->to_string(), std::move(storage));
    }
    return storages;
}

bool says_big_endian(const PickleNode& system_info) {
    const auto& items = system_info.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i]->to_string() == "little_endian") return !items[i + 1]->to_bool();
    }
    return false;
}

// Up to and with the value's pickle.
Pickle read_stream_value(std::span<const std::byte> bytes, ByteReader& reader) {
    reader.skip(kLegacyMagic.size());
    const auto next = [&] {
        Pickle pickle = read_pickle(bytes.subspan(reader.position()));
        reader.skip(pickle.size());
        return pickle;
    };
    if (next().root()->to_int() != kLegacyProtocol) throw_file_error("legacy checkpoint of an unknown protocol");
    if (says_big_endian(*next().root())) throw Error(ErrorKind::Unsupported, "written on a big-endian machine");
    return next();
}

IValue read_legacy(std::span<const std::byte> bytes, PickledClasses& classes) {
    ByteReader reader(bytes, "checkpoint");
    const Pickle value = read_stream_value(bytes, reader);
    StreamStorages storages = read_stream_storages(value, reader, bytes);
    return ValueBuilder(storages, classes).build(*value.root());
}

// Storages of a pickle that has each as the bytes of a stream.
class HeldStorages final : public StorageSource {
  public:
    Ptr<Storage> open(const std::string& key, ScalarType, std::uint64_t) override {
        throw_file_error(concat("no data for storage ", quote_name(key)));
    }
    Ptr<Storage> open_bytes(PickleRef call, ScalarType& dtype) override {
        auto& known = opened_[call];
        if (!known.first) known = read(call->call().args->tuple(1));
        dtype = known.second;
        return known.first;
    }

  private:
    static std::pair<Ptr<Storage>, ScalarType> read(const PickleNode::Elements& arguments) {
        const PickleNode& held = *arguments[0];
        const auto decoded = held.is(PickleKind::Bytes) ? std::optional(held.to_bytes()) : pickled_bytes(held);
        if (!decoded || !is_legacy_checkpoint(std::as_bytes(std::span(*decoded))))
            throw_file_error("a storage of bytes that are no storage");
        const auto bytes = std::as_bytes(std::span(*decoded));
        ByteReader reader(bytes, "storage");
        const Pickle id = read_stream_value(bytes, reader);
        if (!id.root()->is(PickleKind::Persistent)) throw_file_error("a storage of bytes that are no storage");
        const StorageId storage = parse_storage_id(*id.root());
        StreamStorages storages = read_stream_storages(id, reader, bytes);
        return {storages.open(storage.key, storage.dtype, 0), storage.dtype};
    }

    std::unordered_map<PickleRef, std::pair<Ptr<Storage>, ScalarType>> opened_;
};

IValue read_archive(const Ptr<MappedFile>& file, PickledClasses& classes) {
    const TorchArchive archive(file);
    if (archive.find("data.pkl") == nullptr)
        throw_file_error("an archive that torch.save did not write: it has no data.pkl");
    const Pickle value = archive.read_pickle("data.pkl");
    ArchiveStorages storages = archive.storages("data");
    return ValueBuilder(storages, classes).build(*value.root());
}

bool is_tar(std::span<const std::byte> bytes) {
    constexpr std::size_t kAt = 257;
    return bytes.size() > 512 && as_text(bytes).substr(kAt).starts_with("ustar");
}

}  // namespace

bool is_legacy_checkpoint(std::span<const std::byte> bytes) { return as_text(bytes).starts_with(kLegacyMagic); }

IValue read_checkpoint(const std::filesystem::path& path) {
    NoClasses classes;
    return read_checkpoint(path, classes);
}

IValue read_checkpoint(const std::filesystem::path& path, PickledClasses& classes) {
    return read_checkpoint(MappedFile::open(path), classes);
}

IValue read_checkpoint(const Ptr<MappedFile>& file, PickledClasses& classes) {
    const auto bytes = std::span<const std::byte>(file->bytes());
    try {
        if (is_zip(bytes)) return read_archive(file, classes);
        if (is_legacy_checkpoint(bytes)) return read_legacy(bytes, classes);
        if (is_tar(bytes)) return read_tar_checkpoint(bytes, classes);
        throw_file_error("nothing that torch.save writes");
    } catch (Error& error) {
        error.add_context({.file = file->path().string()});
        if (error.message().starts_with("refers to ")) {
            error.add_context(
                {.hint = "files hold tensors and plain values: save model.state_dict(), and vars() of other objects"});
        }
        if (error.kind() == ErrorKind::File || error.kind() == ErrorKind::Unsupported ||
            error.kind() == ErrorKind::Cancelled) {
            throw;
        }
        if (typeid(error) != typeid(Error)) throw;  // errors of the builder of the values
        throw Error(ErrorKind::File, error.message(), error.context());
    }
}

std::pair<IValue, std::size_t> read_pickled_value(std::span<const std::byte> bytes, PickledClasses& classes) {
    const Pickle value = read_pickle(bytes);
    HeldStorages storages;
    return {ValueBuilder(storages, classes).build(*value.root()), value.size()};
}

}  // namespace loupe
