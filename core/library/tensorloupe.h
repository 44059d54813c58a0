// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine for C++ programs: all names of the library, in namespace loupe.
//
//     loupe::Model model = loupe::Model::open("resnet18.pt");
//     const loupe::Tensor scores = model({loupe::ones({1, 3, 224, 224})}).to_tensor();
//
// Everything throws loupe::Error, whose what() is one line. What is not included from here is no part of the library.

#include "core/autograd/engine.h"           // backward, gradients_of
#include "core/autograd/grad_mode.h"        // GradModeScope
#include "core/autograd/variable.h"         // requires_grad, grad_of, hooks of tensors
#include "core/base/build_facts.h"          // version
#include "core/base/error.h"                // Error
#include "core/dispatch/functions.h"        // fn::add and other operators, by their schema's overload
#include "core/dispatch/plugin_list.h"      // plugins
#include "core/formats/image/image.h"       // read_image
#include "core/formats/numpy/npy.h"         // read_npz, write_npz
#include "core/library/model.h"             // Model
#include "core/library/tensors.h"           // making, indexing, arithmetic, printing
#include "core/library/version.h"           // TENSORLOUPE_VERSION
#include "core/nn/layer.h"                  // nn::make_layer
#include "core/nn/module.h"                 // nn::Module
#include "core/nn/native_function.h"        // torch.nn.functional, torch.nn.init
#include "core/ops/random/generator.h"      // seed_generators
#include "core/optim/optimizer.h"           // optim::make_optimizer
#include "core/optim/scheduler.h"           // optim::make_scheduler
#include "core/record/recording.h"          // session::Recording
#include "core/session/session.h"           // session::Session
#include "core/session/session_listener.h"  // session::SessionListener
#include "core/tensor/tensor.h"             // Tensor
#include "core/value/ivalue.h"              // IValue
