# The binary interface of the installed libraries against its kept description: abi.py says what is gone or changed.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
find_program(python NAMES python3 REQUIRED)
string(REGEX MATCH "^[0-9]+" soversion ${VERSION})
run(out ${python} ${HERE}/abi.py check ${PREFIX} ${CXX} ${soversion})
message(STATUS "${out}")
# A function that is gone, and a class of another size, are seen.
file(READ ${HERE}/abi/c.txt kept)
string(REPLACE "class tl_view size " "class tl_view size 1" kept "${kept}")
file(REMOVE_RECURSE ${WORK}/abi)
file(WRITE ${WORK}/abi/abi/c.txt "${kept}function tl_never_was\n")
file(COPY ${HERE}/abi.py DESTINATION ${WORK}/abi)
execute_process(COMMAND ${python} ${WORK}/abi/abi.py check ${PREFIX} ${CXX} ${soversion} c OUTPUT_VARIABLE out ERROR_VARIABLE err
  RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT err MATCHES "tl_never_was is gone" OR NOT err MATCHES "class tl_view was size [0-9]+ align 8, is size [0-9]+")
  message(SEND_ERROR "changes were not seen:\n${out}${err}")
endif()
