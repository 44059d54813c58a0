# SPDX-License-Identifier: Apache-2.0
class Sequential:
    def forward(self, input):
        for module in self:
            input = module(input)
        return input
