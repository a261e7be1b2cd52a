# The functions that the rooms build with.
#
#   assay_library(core SOURCES a.cc DEPS fmt::fmt [APART]) -> assay_core
#   assay_program(assay SOURCES main.cc DEPS harness)    -> bin/assay
#   assay_plugin(bundled SOURCES entry.cc DEPS core)     -> lib/bundled.so
#   assay_test(dtype_test SOURCES dtype_test.cc DEPS core [LABELS quick]
#              [TIMEOUT seconds] [SERIAL] [APART]) -> bin/tests/dtype_test
#
# Programs also look for libraries in ../lib, where a bundle has them
# (docs/bundle.md).
#
# A dependency is a target (fmt::fmt, assay::mpfr) or the short name of one of
# our libraries (core means assay_core). Headers are included from the root:
# #include "core/dtype.h". Programs and plugins are part of the target
# `programs`, which is all that `./assay run` builds; with TESTONLY they are
# built only for the tests. What is APART has sources whose local names clash,
# and compiles each by itself. Programs, plugins and tests are told the
# source root as the macro ASSAY_SOURCE_DIR, a string, and where they are built
# as ASSAY_BINARY_DIR.

add_custom_target(programs)

function(assay_resolve out)
  set(targets)
  foreach(dep IN LISTS ARGN)
    if(dep MATCHES "::|^assay_" OR dep MATCHES "^[-/$]")
      list(APPEND targets ${dep})
    else()
      list(APPEND targets assay_${dep})
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

function(assay_paths target)
  target_compile_definitions(${target} PRIVATE
    ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
endfunction()

# Compiles the sources of a target by eights, but those of assay_alone.
function(assay_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ASSAY_UNITY})
endfunction()

function(assay_library name)
  cmake_parse_arguments(A "APART" "" "SOURCES;DEPS" ${ARGN})
  assay_resolve(deps ${A_DEPS})
  if(A_SOURCES)
    add_library(assay_${name} STATIC ${A_SOURCES})
    if(NOT A_APART)
      assay_together(assay_${name})
    endif()
    target_link_libraries(assay_${name} PUBLIC ${deps} PRIVATE assay::flags)
    target_include_directories(assay_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  else()
    add_library(assay_${name} INTERFACE)
    target_link_libraries(assay_${name} INTERFACE ${deps})
    target_include_directories(assay_${name} INTERFACE ${PROJECT_SOURCE_DIR})
  endif()
endfunction()

function(assay_program name)
  cmake_parse_arguments(A "TESTONLY" "" "SOURCES;DEPS" ${ARGN})
  assay_resolve(deps ${A_DEPS})
  add_executable(${name} ${A_SOURCES})
  assay_together(${name})
  target_link_libraries(${name} PRIVATE ${deps} assay::flags)
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  assay_paths(${name})
  if(NOT A_TESTONLY)
    add_dependencies(programs ${name})
  endif()
endfunction()

function(assay_plugin name)
  cmake_parse_arguments(A "TESTONLY" "" "SOURCES;DEPS" ${ARGN})
  assay_resolve(deps ${A_DEPS})
  add_library(${name} MODULE ${A_SOURCES})
  assay_together(${name})
  # Where a plugin is packed, its libraries are beside it: what loads it has a
  # path for its own libraries alone.
  set_target_properties(${name} PROPERTIES PREFIX "" BUILD_RPATH "$ORIGIN")
  target_link_libraries(${name} PRIVATE ${deps} assay::flags
    ${CMAKE_DL_LIBS})
  assay_paths(${name})
  if(NOT A_TESTONLY)
    add_dependencies(programs ${name})
  endif()
endfunction()

# Sources of this folder that stand alone where others are compiled together:
# what they call by a local name, another of their target calls so too.
function(assay_alone)
  set_source_files_properties(${ARGN} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# What nearly every test includes, read once: it takes two seconds each time.
function(assay_test_headers)
  if(TARGET assay_test_headers OR NOT ASSAY_UNITY)
    return()
  endif()
  # As a test is compiled: a program, which nobody builds.
  set(empty ${PROJECT_BINARY_DIR}/test_headers.cc)
  file(CONFIGURE OUTPUT ${empty} CONTENT "int main() {}\n")
  add_executable(assay_test_headers EXCLUDE_FROM_ALL ${empty})
  target_link_libraries(assay_test_headers PRIVATE assay::flags
    GTest::gmock nlohmann_json::nlohmann_json)
  target_precompile_headers(assay_test_headers PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
endfunction()

# One entry of CTest per binary: starting a process for each of a thousand
# small tests would take longer than the tests do.
function(assay_test name)
  cmake_parse_arguments(A "APART;SERIAL" "TIMEOUT" "SOURCES;DEPS;LABELS"
    ${ARGN})
  if(NOT A_LABELS)
    set(A_LABELS quick)
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 120)
  endif()
  assay_resolve(deps ${A_DEPS})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${deps} assay::flags
    GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests)
  if(NOT A_APART)
    assay_together(${name})
  endif()
  if(ASSAY_UNITY)
    assay_test_headers()
    target_precompile_headers(${name} REUSE_FROM assay_test_headers)
  endif()
  assay_paths(${name})
  add_test(NAME ${name} COMMAND ${name}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # What may take long begins first, where CTest has no times of its own yet:
  # else the longest would be the last, beside an idle core.
  set_tests_properties(${name} PROPERTIES
    LABELS "${A_LABELS}" TIMEOUT ${A_TIMEOUT} COST ${A_TIMEOUT}
    ENVIRONMENT
      "ASSAY_HOME=${PROJECT_SOURCE_DIR};ASSAY_BUILD=${PROJECT_BINARY_DIR}")
  if(A_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
