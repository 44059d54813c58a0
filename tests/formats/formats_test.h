// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of files share.

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/tensor/tensor.h"

// Shown when a comparison fails.
template <>
inline char* QTest::toString(const std::string& text) {
    return qstrdup(text.c_str());
}

namespace loupe {

inline std::filesystem::path fixture(const std::string& name) {
    return std::filesystem::path(LOUPE_SOURCE_DIR) / "tests" / "fixtures" / name;
}
inline std::filesystem::path array_file(const std::string& name) {
    return std::filesystem::path(LOUPE_SOURCE_DIR) / "tests" / "formats" / "arrays" / name;
}

// The error line of what the work throws, without the file's folder; empty when it throws nothing.
inline std::string error_of(const std::function<void()>& work, ErrorKind* kind = nullptr) {
    try {
        work();
    } catch (const Error& error) {
        if (kind != nullptr) *kind = error.kind();
        std::string line = error.what();
        const auto folder = std::filesystem::path(error.context().file).parent_path().string() + "/";
        if (folder.size() > 1 && line.starts_with(folder)) line.erase(0, folder.size());
        return line;
    }
    return {};
}

// All elements in row-major order.
template <typename T>
std::vector<T> elements(const Tensor& tensor) {
    std::vector<T> out;
    Dims index(static_cast<std::size_t>(tensor.dim()), 0);
    for (std::int64_t n = 0; n < tensor.numel(); ++n) {
        std::int64_t offset = 0;
        std::int64_t rest = n;
        for (std::int64_t d = tensor.dim(); d-- > 0;) {
            offset += rest % tensor.size(d) * tensor.stride(d);
            rest /= tensor.size(d);
        }
        out.push_back(tensor.data<T>()[offset]);
    }
    return out;
}

// A folder that goes away with the test, and files in it.
class Scratch {
  public:
    std::filesystem::path path(const std::string& name) const {
        return dir_.filePath(QString::fromStdString(name)).toStdString();
    }
    std::filesystem::path write(const std::string& name, std::string_view contents) const {
        write_file_atomically(path(name), contents);
        return path(name);
    }

  private:
    QTemporaryDir dir_;
};

}  // namespace loupe
