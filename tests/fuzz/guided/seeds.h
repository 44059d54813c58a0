// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace loupe::fuzz {

// NAME --seeds FOLDER: writes what a run begins with into the folder. False: it was not asked for.
bool wrote_seeds(int argc, char** argv);

}  // namespace loupe::fuzz
