# Reads the texts of the window's sources, and of the models and tours that ship, into .ts files.
# cmake -DLUPDATE=... -DROOT=source tree -DWORK=folder for what is made on the way "-DFILES=a.ts;b.ts" -P update.cmake
set(texts "// Texts of resources/models and resources/tours, as lupdate reads them.\n")

# Appends a text, where the object has one.
macro(take json)
  string(JSON text ERROR_VARIABLE missing GET "${json}" ${ARGN})
  if(NOT missing)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(APPEND texts "QT_TRANSLATE_NOOP(\"resources\", \"${text}\")\n")
  endif()
endmacro()

file(READ ${ROOT}/resources/models/index.json models)
string(JSON model_count LENGTH "${models}")
math(EXPR last_model "${model_count} - 1")
foreach(model RANGE ${last_model})
  take("${models}" ${model} title)
  take("${models}" ${model} description)
  string(JSON count ERROR_VARIABLE missing LENGTH "${models}" ${model} things_to_try)
  if(NOT missing AND count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(thing RANGE ${last})
      take("${models}" ${model} things_to_try ${thing} text)
    endforeach()
  endif()
endforeach()

file(GLOB tours ${ROOT}/resources/tours/*.json)
foreach(file ${tours})
  if(file MATCHES "/index\\.json$")
    continue()
  endif()
  file(READ ${file} tour)
  take("${tour}" title)
  take("${tour}" summary)
  string(JSON count LENGTH "${tour}" steps)
  math(EXPR last "${count} - 1")
  foreach(step RANGE ${last})
    take("${tour}" steps ${step} text)
  endforeach()
endforeach()
file(WRITE ${WORK}/resource_texts.cpp "${texts}")

execute_process(
  COMMAND ${LUPDATE} -silent -I . -no-obsolete -locations none -tr-function-alias tr+=said,Q_DECLARE_TR_FUNCTIONS+=LOUPE_SAID_IN app/window views core/record core/session
          core/study core/train ${WORK}/resource_texts.cpp -ts ${FILES}
  WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE status ERROR_VARIABLE notes)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "lupdate failed: ${notes}")
endif()
# What lupdate cannot place is translated in a context that nothing asks for.
if(notes MATCHES "lacks Q_OBJECT|without context|unknown namespace/class ::loupe")
  message(FATAL_ERROR "${notes}")
endif()
