# A folder that runs where nothing of it is installed, and its archive: the programs, the libraries that they need but for the C and C++
# library and the drivers' OpenGL, which are the system's, Qt's plugins, the fonts. -DBUILD= the build folder, -DVERSION=, -DOUT= a
# folder to write into, -DWORK= one to work in, -DTEMPLATES= where the launcher is.
cmake_minimum_required(VERSION 3.25)
find_program(PATCHELF patchelf REQUIRED)
cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
set(name tensorloupe-${VERSION}-${machine})
set(root ${WORK}/${name})
file(REMOVE_RECURSE ${root})
foreach(component cli window)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${root} --component ${component} --strip
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB programs ${root}/bin/*)
file(GLOB_RECURSE own_libraries ${root}/lib/tensorloupe/*.so*)

# --- what Qt loads by itself ---
set(bundled ${root}/lib/bundled)
execute_process(COMMAND qmake6 -query QT_INSTALL_PLUGINS OUTPUT_VARIABLE qt OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(qt_plugins)
foreach(plugin platforms/libqxcb platforms/libqoffscreen platforms/libqwayland-generic platforms/libqwayland-egl xcbglintegrations/libqxcb-glx-integration
    xcbglintegrations/libqxcb-egl-integration wayland-shell-integration/libxdg-shell wayland-graphics-integration-client/libqt-plugin-wayland-egl
    platforminputcontexts/libcomposeplatforminputcontextplugin platforminputcontexts/libibusplatforminputcontextplugin imageformats/libqsvg
    imageformats/libqjpeg iconengines/libqsvgicon printsupport/libcupsprintersupport)
  if(EXISTS ${qt}/${plugin}.so)
    get_filename_component(folder ${plugin} DIRECTORY)
    file(COPY ${qt}/${plugin}.so DESTINATION ${bundled}/qt6/${folder})
    list(APPEND qt_plugins ${bundled}/qt6/${plugin}.so)
  endif()
endforeach()
file(WRITE ${root}/bin/qt.conf "[Paths]\nPrefix = ..\nPlugins = lib/bundled/qt6\nTranslations = lib/bundled/translations\n")

# --- the libraries ---
# The C library, and what must not be older than what the drivers of the system want.
set(of_the_system "^(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libnsl|libanl|libstdc\\+\\+|libgcc_s)\\.so")
# Of the system where it has them: it may have newer ones beside its drivers.
set(of_the_system_first "^(libGL|libEGL|libGLX|libOpenGL|libGLdispatch|libexpat|libxcb|libX11|libX11-xcb|libXau|libXdmcp|libXext|libdrm|libz|libzstd)\\.so")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${own_libraries} MODULES ${qt_plugins}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing PRE_EXCLUDE_REGEXES ${of_the_system})
if(missing)
  message(FATAL_ERROR "not found: ${missing}")
endif()
foreach(library IN LISTS found)
  get_filename_component(file_name ${library} NAME)
  if(library MATCHES "^${root}")
    continue()
  elseif(file_name MATCHES "${of_the_system_first}")
    set(folder ${bundled}/if_missing/${file_name})
  else()
    set(folder ${bundled})
  endif()
  file(COPY ${library} DESTINATION ${folder} FOLLOW_SYMLINK_CHAIN)
endforeach()

# Old-fashioned RPATHs: those count for the libraries of libraries too, and no variable reaches the programs that ours start.
function(set_rpath path)
  foreach(file IN LISTS ARGN)
    if(NOT IS_SYMLINK ${file})
      execute_process(COMMAND ${PATCHELF} --force-rpath --set-rpath ${path} ${file} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
endfunction()
set_rpath("\$ORIGIN/../lib/tensorloupe:\$ORIGIN/../lib/bundled" ${programs})
file(GLOB libraries ${root}/lib/tensorloupe/*.so*)
set_rpath("\$ORIGIN:\$ORIGIN/../bundled" ${libraries})
file(GLOB_RECURSE libraries ${root}/lib/tensorloupe/*/*.so*)
set_rpath("\$ORIGIN/..:\$ORIGIN/../../bundled" ${libraries})
file(GLOB libraries ${bundled}/*.so*)
set_rpath("\$ORIGIN" ${libraries})
set_rpath("\$ORIGIN/../.." ${qt_plugins})

# --- what is read ---
foreach(family inter jetbrains-mono dejavu)
  file(GLOB_RECURSE fonts /usr/share/fonts/*/${family}/*.ttf /usr/share/fonts/*/${family}/*.otf)
  file(COPY ${fonts} DESTINATION ${root}/share/tensorloupe/fonts)
endforeach()
# Qt's own texts, in the languages that the window has.
file(GLOB translations ${TEMPLATES}/../../../resources/translations/tensorloupe_*.ts)
foreach(translation IN LISTS translations)
  string(REGEX REPLACE "^.*tensorloupe_(.*)\\.ts$" "/usr/share/qt6/translations/qtbase_\\1.qm" of_qt ${translation})
  if(EXISTS ${of_qt})
    file(COPY ${of_qt} DESTINATION ${bundled}/translations)
  endif()
endforeach()
file(COPY /usr/share/X11/xkb DESTINATION ${root}/share/tensorloupe)
file(COPY ${TEMPLATES}/fonts.conf DESTINATION ${root}/share/tensorloupe)
file(COPY ${TEMPLATES}/tensorloupe ${TEMPLATES}/tensorloupe-cli DESTINATION ${root} FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
  GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
file(COPY ${TEMPLATES}/start.sh DESTINATION ${root}/lib)

file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND ${CMAKE_COMMAND} -E tar cJf ${OUT}/${name}.tar.xz ${name} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${OUT}/${name}.tar.xz bytes)
math(EXPR megabytes "${bytes} / 1000000")
message(STATUS "${OUT}/${name}.tar.xz: ${megabytes} MB")
