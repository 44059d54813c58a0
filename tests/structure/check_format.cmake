# cmake -DCLANG_FORMAT=... -DROOT=... -P check_format.cmake: fails with the sources that clang-format would change.
file(GLOB_RECURSE sources ${ROOT}/core/*.h ${ROOT}/core/*.cpp ${ROOT}/plugins/*.h ${ROOT}/plugins/*.cpp ${ROOT}/plugins/*.cu ${ROOT}/views/*.h
     ${ROOT}/views/*.cpp ${ROOT}/app/*.h ${ROOT}/app/*.cpp ${ROOT}/tests/*.h ${ROOT}/tests/*.cpp)
list(LENGTH sources count)
if(count LESS 1000)
  message(FATAL_ERROR "only ${count} sources below ${ROOT}")
endif()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror --ferror-limit=1 ${sources} RESULT_VARIABLE failed ERROR_VARIABLE report)
if(failed)
  message(FATAL_ERROR "clang-format -i lays these out:\n${report}")
endif()
