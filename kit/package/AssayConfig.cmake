# find_package(Assay): what a compiler under test is built with.
#
#   Assay::plugin   the header assay/plugin.h, C and C++
#   Assay::kit      assay/kit/*.h, C++20; its sources are compiled as a part of
#                   your project, which must have CXX enabled
get_filename_component(Assay_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.."
  ABSOLUTE)

if(NOT TARGET Assay::plugin)
  add_library(assay_plugin INTERFACE)
  add_library(Assay::plugin ALIAS assay_plugin)
  target_include_directories(assay_plugin SYSTEM INTERFACE
    "${Assay_PREFIX}/include")
endif()

get_property(Assay_LANGUAGES GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT TARGET Assay::kit AND "CXX" IN_LIST Assay_LANGUAGES)
  file(GLOB Assay_SOURCES "${Assay_PREFIX}/share/assay/src/*/*.cc")
  add_library(assay_kit STATIC EXCLUDE_FROM_ALL ${Assay_SOURCES})
  add_library(Assay::kit ALIAS assay_kit)
  target_compile_features(assay_kit PUBLIC cxx_std_20)
  target_link_libraries(assay_kit PUBLIC Assay::plugin)
  # It ends up in a shared object that exports assay_plugin_query and no more
  # of ours.
  set_target_properties(assay_kit PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endif()

foreach(component IN LISTS Assay_FIND_COMPONENTS)
  if(Assay_FIND_REQUIRED_${component} AND NOT TARGET Assay::${component})
    set(Assay_FOUND FALSE)
    set(Assay_NOT_FOUND_MESSAGE
      "there is no Assay::${component}: the components are plugin and kit, and \
kit needs CXX among the languages of project()")
  endif()
endforeach()
