// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plugins for the window, the command line and programs: all that one may use, in namespace loupe. A plugin is a shared
// library loupe_NAME.so that exports loupe_plugin(); see PluginTable.

#include "core/base/error.h"                       // Error
#include "core/base/strings.h"                     // concat, join
#include "core/dispatch/boxing.h"                  // inferring, filling: C++ functions as kernels
#include "core/dispatch/functions.h"               // fn::add and other operators
#include "core/dispatch/gradient_context.h"        // derivatives
#include "core/formats/checkpoint/weights_tree.h"  // a file of named tensors as a model
#include "core/formats/format_reader.h"            // FormatReader
#include "core/formats/format_writer.h"            // FormatWriter
#include "core/model/program.h"                    // session::Program
#include "core/ops/samples.h"                      // random inputs for the tests of operators
#include "core/plugin/plugin.h"                    // PluginTable, PluginRegistries
#include "core/session/query_context.h"            // what there is of the engine
