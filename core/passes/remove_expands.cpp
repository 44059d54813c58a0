// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {

const Pass kRemoveExpands{"RemoveExpands", "Removes the expansions that an operator's broadcasting does by itself.",
                          [](ir::Graph& graph, const PassContext&) {
                              for_each_node(graph.block(), [](ir::Node* node) {
                                  if (!node->is("aten::expand") || !constant_bool(node->input(2)).value_or(false))
                                      return;
                                  // A guard determines the shape of its input.
                                  const auto& uses = node->output()->uses();
                                  if (std::any_of(uses.begin(), uses.end(), [](const ir::Use& use) {
                                          return use.user->kind() == ir::prim::Guard;
                                      }))
                                      return;
                                  node->output()->replace_all_uses_with(node->input(0));
                                  node->destroy();
                              });
                          }};

}  // namespace loupe::passes
