// SPDX-License-Identifier: Apache-2.0
// A folder a class, PNG and JPEG pictures in them: torchvision.datasets.ImageFolder.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/cancel.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/image/image.h"
#include "core/formats/sources/image_options.h"
#include "core/formats/sources/source_list.h"

namespace loupe::data {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 50'000'000;

bool is_picture(const fs::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

struct Entry {
    std::string path;  // from the root
    std::int64_t target;
};

ImageChannels channels_of(std::string_view choice) {
    if (choice == "rgb") return ImageChannels::Rgb;
    return choice == "grey" ? ImageChannels::Grey : ImageChannels::AsStored;
}

class ImageDataset final : public Dataset {
  public:
    ImageDataset(fs::path root, std::vector<Entry> entries, const SourceOptions& options)
        : root_(std::move(root)),
          entries_(std::move(entries)),
          pipeline_(options),
          channels_(channels_of(options.choice("channels"))) {}
    std::int64_t size() const override { return static_cast<std::int64_t>(entries_.size()); }
    IValue get(std::int64_t index) const override {
        const Entry& entry = entries_[static_cast<std::size_t>(index)];
        const Tensor image = read_image(root_ / entry.path, channels_);
        const Tensor planes = image.view_as_strided(image.sizes().subspan(1), image.strides().subspan(1), 0);
        return image_sample(pipeline_.apply(planes), entry.target);
    }
    std::string place_of(std::int64_t index) const override { return entries_[static_cast<std::size_t>(index)].path; }

  private:
    fs::path root_;
    std::vector<Entry> entries_;
    ImagePipeline pipeline_;
    ImageChannels channels_;
};

std::vector<std::string> class_folders(const fs::path& root) {
    std::vector<std::string> names;
    std::error_code failure;
    for (fs::directory_iterator at(root, failure), end; !failure && at != end; at.increment(failure)) {
        std::error_code ignored;
        if (at->is_directory(ignored) && !at->path().filename().string().starts_with('.'))
            names.push_back(at->path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

// All pictures below the folder, sorted, so that numbers of samples do not depend on the file system.
std::vector<std::string> pictures_below(const fs::path& root, const std::string& folder) {
    std::vector<std::string> paths;
    std::error_code failure;
    for (fs::recursive_directory_iterator at(root / folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        check_cancelled();
        std::error_code ignored;
        if (!is_picture(at->path()) || !at->is_regular_file(ignored)) continue;
        paths.push_back(at->path().lexically_relative(root).string());
        if (paths.size() > kMostFiles) throw Error(ErrorKind::File, concat("more than ", kMostFiles, " pictures"));
    }
    // In torchvision's order, from os.walk and sorted: a folder's files before those of its subfolders.
    std::ranges::sort(paths, {}, [](const std::string& path) {
        const auto slash = path.rfind('/');
        return std::pair(path.substr(0, slash), path.substr(slash + 1));
    });
    return paths;
}

constexpr auto kOptions = with_image_options(std::array<SourceOption, 1>{{
    {"channels", "rgb|grey|stored", "rgb", "what all pictures are brought to"},
}});

bool accepts(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_directory(path, failure)) return false;
    int seen = 0;
    for (const std::string& folder : class_folders(path)) {
        for (fs::recursive_directory_iterator at(path / folder, failure), end; !failure && at != end;
             at.increment(failure)) {
            if (is_picture(at->path())) return true;
            if (++seen > 10000) return false;
        }
    }
    return false;
}

Source open(const fs::path& path, const SourceOptions& options) {
    Source source;
    source.classes = class_folders(path);
    if (source.classes.empty()) throw Error(ErrorKind::File, "Couldn't find any class folder");
    std::vector<Entry> entries;
    std::vector<std::string> empty_ones;
    for (std::size_t c = 0; c < source.classes.size(); ++c) {
        std::vector<std::string> paths = pictures_below(path, source.classes[c]);
        if (paths.empty()) empty_ones.push_back(source.classes[c]);
        for (std::string& each : paths) entries.push_back({std::move(each), static_cast<std::int64_t>(c)});
    }
    if (!empty_ones.empty())
        source.notes.push_back(concat("Found no valid file for the classes ", join(empty_ones, ", ")));
    if (entries.empty()) throw Error(ErrorKind::File, "holds no pictures: PNG and JPEG files in a folder a class");
    source.description =
        concat(counted(entries.size(), "image"), ", ", counted(source.classes.size(), "class", "classes"));
    source.dataset = make_ptr<ImageDataset>(path, std::move(entries), options);
    return source;
}

const SourceRecord kRecords[] = {
    {"images", "a folder a class, PNG and JPEG pictures in them", kOptions, accepts, open},
};

}  // namespace

std::span<const SourceRecord> image_folder_sources() { return kRecords; }

}  // namespace loupe::data
