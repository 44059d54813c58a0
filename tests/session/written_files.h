// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests of where an engine may write: a run to save, a source that writes, and what is there afterwards.

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace loupe::session {

inline const std::string kModels = LOUPE_SOURCE_DIR "/resources/models/";

inline void run_digits(Session& session) {
    session.open(kModels + "digits.pt");
    session.set_inputs({parse_input_spec("5x1x8x8")});
    session.run({});
    session.wait_idle();
    QVERIFY(session.recording() != nullptr && session.recording()->is_complete());
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

inline std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A source that writes a line into that file when it is opened.
inline std::filesystem::path writing_source(const QTemporaryDir& folder, const std::filesystem::path& file) {
    const std::filesystem::path path = folder.filePath("net.py").toStdString();
    std::ofstream(path) << "import torch\n"
                           "try:\n"
                           "    with open('"
                        << file.string()
                        << "', 'w') as out:\n"
                           "        out.write('written\\n')\n"
                           "except PermissionError as error:\n"
                           "    print(error)\n"
                           "class Net(torch.nn.Module):\n"
                           "    def forward(self, x):\n"
                           "        return x * 2\n"
                           "example_inputs = (torch.ones(1),)\n";
    return path;
}

}  // namespace loupe::session
