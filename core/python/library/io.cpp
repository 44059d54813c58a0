// SPDX-License-Identifier: Apache-2.0
// The module io.
#include "core/python/language/builtin_objects.h"
#include "core/python/language/stream.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {

void fill_io(PythonModule& module) {
    auto base = make_ptr<ClassObject>("IOBase", "io", std::vector<ClassPtr>{builtin_classes().object});
    module.define("IOBase", IValue::other(base));
    module.define("BytesIO", IValue::other(make_stream_class("BytesIO", false, base)));
    module.define("StringIO", IValue::other(make_stream_class("StringIO", true, base)));
    module.define("TextIOWrapper", IValue::other(make_stream_class("TextIOWrapper", true, base)));
    module.define("BufferedRandom", IValue::other(make_stream_class("BufferedRandom", false, base)));
    module.define("UnsupportedOperation", IValue::other(exception_class("UnsupportedOperation")));
    module.define("open", open_file);
    module.define("SEEK_SET", IValue(0));
    module.define("SEEK_CUR", IValue(1));
    module.define("SEEK_END", IValue(2));
}

}  // namespace loupe::python
