// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/written_files.h"
#include "core/model/convert.h"

namespace loupe::cli {

int run_convert(const RunArguments& options, const std::string& out, const std::string& shard_size) {
    check_written_files({{"OUT", out}}, read_files(options));
    // As torch.onnx.export does it: what is exported is there for inference, unless training is asked for.
    const bool is_for_inference = options.mode.empty() && std::filesystem::path(out).extension() == ".onnx";
    const auto open = [&] {
        RunArguments opening = options;
        if (is_for_inference) opening.mode = "eval";
        opening.written.push_back(out);
        auto program = open_program(opening);
        if (program) trace_program(*program, options);
        return program;
    };
    session::ConvertOptions converting{.pipeline = options.pipeline, .shard_size = shard_size};
    converting.writer.inputs = [&](const session::Program& program, const std::string& method) {
        return run_inputs(program, options, method);
    };
    if (options.opset > 0) converting.writer.options.emplace_back("opset", std::to_string(options.opset));
    for (const std::string& each : options.dynamic) converting.writer.options.emplace_back("dynamic", each);
    const std::string words = session::convert(options.model, out, open, converting);
    if (!words.empty()) std::printf("%s: %s\n", out.c_str(), words.c_str());
    return 0;
}

}  // namespace loupe::cli
