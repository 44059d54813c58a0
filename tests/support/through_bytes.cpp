// SPDX-License-Identifier: Apache-2.0
// Of programs that link this, every question and answer goes through bytes: what they test, they test of an engine in
// another process too. With LOUPE_TEST_ENGINE in the environment, the path of tensorloupe-engine, it is in one.

#include <cstdlib>
#include <filesystem>

#include "core/session/session.h"

[[maybe_unused]] static const bool is_on = [] {
    loupe::session::Session::set_sends_through_bytes(true);
    // Tests keep sessions in folders of their own, also behind the opening of a model.
    if (const char* program = std::getenv("LOUPE_TEST_ENGINE"))
        loupe::session::Session::set_engine_program(program, {std::filesystem::temp_directory_path()});
    return true;
}();
