# The C interface: C99 without extensions, no warning, and exactly the symbols that its list names.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
execute_process(COMMAND pkg-config --cflags --libs tensorloupe OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(flags)
run(ignored ${CC} -std=c99 -pedantic -Wall -Wextra -Werror ${HERE}/examples/c_example.c -o ${WORK}/c_by_flags ${flags} -lm)
expect(${WORK}/c_by_flags ${HERE}/examples/c_example.expected ${HERE}/models/resnet.pt)
run(ignored ${CC} -std=c99 -pedantic -Wall -Wextra -Werror ${HERE}/c_refusals.c -o ${WORK}/c_refusals ${flags} -lm)
run(ignored ${WORK}/c_refusals ${HERE}/models/resnet.pt ${WORK}/run.loupe)

run(all nm -D --defined-only ${PREFIX}/lib/tensorloupe/libloupe_core.so)
string(REGEX MATCHALL "T tl_[a-z_]+" exported "${all}")
list(TRANSFORM exported REPLACE "^T " "")
list(SORT exported)
file(STRINGS ${HERE}/c_symbols.txt listed REGEX "^tl_")
list(SORT listed)
if(NOT exported STREQUAL listed)
  message(SEND_ERROR "the C interface exports\n${exported}\nc_symbols.txt lists\n${listed}\n"
    "A function that is gone breaks programs: that is another major version. A new one goes into the list, and TL_API_VERSION grows.")
endif()
