// SPDX-License-Identifier: Apache-2.0
// CIFAR-10 and CIFAR-100, binary version: records of one or two labels and 3 planes of 32 x 32 bytes.
#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/sources/file_bytes.h"
#include "core/formats/sources/image_options.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kImageBytes = 3 * 32 * 32;

struct Layout {
    std::size_t label_bytes;  // before the image
    std::size_t label_at;     // the target among them
    std::int64_t classes;
    std::size_t record_bytes() const { return label_bytes + kImageBytes; }
};
constexpr Layout kTen{1, 0, 10};
constexpr Layout kHundredFine{2, 1, 100};
constexpr Layout kHundredCoarse{2, 0, 20};

class CifarDataset final : public Dataset {
  public:
    CifarDataset(const std::vector<fs::path>& paths, Layout layout, const SourceOptions& options)
        : layout_(layout), pipeline_(options) {
        for (const fs::path& path : paths) {
            files_.push_back(make_ptr<FileBytes>(path));
            const std::size_t bytes = files_.back()->bytes().size();
            // A last record that is not whole counts: it is damaged, not absent.
            size_ += static_cast<std::int64_t>((bytes + layout.record_bytes() - 1) / layout.record_bytes());
            ends_.push_back(size_);
        }
    }
    std::int64_t size() const override { return size_; }
    IValue get(std::int64_t index) const override {
        const auto [file, record] = locate(index);
        const auto bytes = files_[file]->bytes();
        const std::size_t at = static_cast<std::size_t>(record) * layout_.record_bytes();
        const auto fail = [&, file = file, record = record](const std::string& what) {
            throw_file_error(concat("record ", record, ": ", what), files_[file]->path().string());
        };
        if (bytes.size() - at < layout_.record_bytes()) {
            fail(concat("truncated: it has ", bytes.size() - at, " of ", layout_.record_bytes(), " bytes"));
        }
        const auto label = std::to_integer<std::int64_t>(bytes[at + layout_.label_at]);
        if (label >= layout_.classes) fail(concat("label ", label, " of ", layout_.classes, " classes"));
        static constexpr std::array<std::int64_t, 3> kSizes{3, 32, 32};
        Tensor image = empty(kSizes, ScalarType::UInt8);
        std::memcpy(image.raw_data(), bytes.data() + at + layout_.label_bytes, kImageBytes);
        return image_sample(pipeline_.apply(std::move(image)), label);
    }
    std::string place_of(std::int64_t index) const override {
        const auto [file, record] = locate(index);
        return concat(files_[file]->path().filename().string(), ", record ", record);
    }
    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        for (const auto& file : files_) {
            if (file->bytes().size() % layout_.record_bytes() == 0) continue;
            notes.push_back(concat(file->path().filename().string(), " is truncated: its last record is not whole"));
        }
        return notes;
    }

  private:
    std::pair<std::size_t, std::int64_t> locate(std::int64_t index) const {
        const auto file = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
        return {file, file == 0 ? index : index - ends_[file - 1]};
    }

    Layout layout_;
    ImagePipeline pipeline_;
    std::vector<Ptr<FileBytes>> files_;
    std::vector<std::int64_t> ends_;
    std::int64_t size_ = 0;
};

std::vector<std::string> read_names(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return {};
    std::vector<std::string> names;
    const std::string text = read_text_file(path);
    for (const std::string_view line : split(text, '\n')) {
        if (!line.empty()) names.emplace_back(line);
    }
    return names;
}

Source make_source(const std::vector<fs::path>& files, const fs::path& names, Layout layout,
                   const SourceOptions& options) {
    const auto dataset = make_ptr<CifarDataset>(files, layout, options);
    Source source;
    source.dataset = dataset;
    source.classes = read_names(names);
    source.classes.resize(static_cast<std::size_t>(layout.classes));
    for (std::size_t c = 0; c < source.classes.size(); ++c) {
        if (source.classes[c].empty()) source.classes[c] = std::to_string(c);
    }
    source.description =
        concat(counted(dataset->size(), "image"), " of 3x32x32, ", counted(layout.classes, "class", "classes"));
    source.notes = dataset->notes();
    return source;
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

// A folder's files of the split, or the file itself.
std::vector<fs::path> need_files(const fs::path& path, const std::vector<std::string>& names) {
    if (is_file(path)) return {path};
    std::vector<fs::path> files;
    for (const std::string& name : names) {
        if (is_file(path / name)) files.push_back(path / name);
    }
    if (files.empty())
        throw Error(ErrorKind::Usage, concat("no ", names.front(), " in the folder"), {.file = path.string()});
    return files;
}

constexpr auto kTenOptions = with_image_options(std::array<SourceOption, 1>{{
    {"split", "train|test", "train", "which files of the folder"},
}});
constexpr auto kHundredOptions = with_image_options(std::array<SourceOption, 2>{{
    {"split", "train|test", "train", "which file of the folder"},
    {"labels", "fine|coarse", "fine", "100 classes or the 20 they are grouped in"},
}});

bool accepts_ten(const fs::path& path) {
    if (is_file(path / "data_batch_1.bin") || is_file(path / "test_batch.bin")) return true;
    const std::string name = path.filename().string();
    return is_file(path) && path.extension() == ".bin" && (name.starts_with("data_batch_") || name == "test_batch.bin");
}
Source open_ten(const fs::path& path, const SourceOptions& options) {
    std::vector<std::string> names{"test_batch.bin"};
    if (options.choice("split") == "train") {
        names = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"};
    }
    const fs::path folder = is_file(path) ? path.parent_path() : path;
    return make_source(need_files(path, names), folder / "batches.meta.txt", kTen, options);
}

bool accepts_hundred(const fs::path& path) { return is_file(path / "train.bin") || is_file(path / "test.bin"); }
Source open_hundred(const fs::path& path, const SourceOptions& options) {
    const bool is_fine = options.choice("labels") == "fine";
    const fs::path folder = is_file(path) ? path.parent_path() : path;
    return make_source(need_files(path, {std::string(options.choice("split")) + ".bin"}),
                       folder / (is_fine ? "fine_label_names.txt" : "coarse_label_names.txt"),
                       is_fine ? kHundredFine : kHundredCoarse, options);
}

const SourceRecord kRecords[] = {
    {"cifar10", "CIFAR-10, binary version: a folder or one file", kTenOptions, accepts_ten, open_ten},
    {"cifar100", "CIFAR-100, binary version: a folder or one file", kHundredOptions, accepts_hundred, open_hundred},
};

}  // namespace

std::span<const SourceRecord> cifar_sources() { return kRecords; }

}  // namespace loupe::data
