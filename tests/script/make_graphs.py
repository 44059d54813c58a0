# SPDX-License-Identifier: Apache-2.0
# Prints the graphs of all functions and methods of archives as PyTorch compiles them.
# usage: /usr/bin/python3 make_graphs.py OUT_FOLDER FILE.pt...   (the checked-in ones: attention control detection getstate googlenet
# hooked lstm_packed mlp storages tensor_list, of ../fixtures/models, into graphs/)
import os, sys
import torch, torchvision

def main(folder, files):
    os.makedirs(folder, exist_ok=True)
    for file in files:
        unit = torch._C.CompilationUnit()
        torch._C.import_ir_module(unit, file, None, {})
        name = os.path.splitext(os.path.basename(file))[0]
        with open(os.path.join(folder, name + ".txt"), "w") as out:
            for function in sorted(unit.get_functions(), key=lambda f: f.qualified_name):
                print("==", function.qualified_name, file=out)
                out.write(str(function.graph))

main(sys.argv[1], sys.argv[2:])
