# Installs `files`, headers and sources below the folder `home`. In this tree
# they are included as "core/..." and "kit/...", names that a vendor's tree may
# well have, too; where they are installed it is "assay/core/...".
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
foreach(file IN LISTS files)
  file(READ "${home}/${file}" text)
  string(REGEX REPLACE "#include \"(core|kit)/" "#include \"assay/\\1/"
    text "${text}")
  if(file MATCHES "\\.h$")
    set(to "${root}/include/assay/${file}")
  else()
    set(to "${root}/share/assay/src/${file}")
  endif()
  file(WRITE "${to}" "${text}")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${to}")
endforeach()
list(LENGTH files count)
message(STATUS "Installed: ${count} headers and sources below ${root}")
