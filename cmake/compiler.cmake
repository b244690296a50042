# One place for how the code is compiled. Warnings are errors; assertions of the program are always on.
add_library(belfry_flags INTERFACE)
target_compile_options(belfry_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Werror -fno-omit-frame-pointer)
# Line tables for backtraces. They cost a tenth of the time of a compilation, so builds that nobody debugs go without (-g0).
set(BELFRY_DEBUG_INFO -g1 CACHE STRING "debug information, as the compiler takes it")
target_compile_options(belfry_flags INTERFACE ${BELFRY_DEBUG_INFO})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns about its own library when it inlines std::string and coroutine frames.
  target_compile_options(belfry_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-mismatched-new-delete)
endif()
# A name of one file may hide a name of another file of its group. The preset `gcc`, which has no groups, warns of real ones.
option(BELFRY_UNITY "compile source files in groups" ON)
if(BELFRY_UNITY)
  target_compile_options(belfry_flags INTERFACE -Wno-shadow)
endif()
if(BELFRY_SANITIZE)
  target_compile_options(belfry_flags INTERFACE -fsanitize=${BELFRY_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(belfry_flags INTERFACE -fsanitize=${BELFRY_SANITIZE})
  if(BELFRY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(belfry_flags INTERFACE -Wno-tsan)
  endif()
endif()
find_program(BELFRY_MOLD mold)
if(BELFRY_MOLD)
  target_link_options(belfry_flags INTERFACE -fuse-ld=mold)
endif()
# What nearly every file of a target includes can be read once for the target instead of once for each file, which takes
# a half off a build from nothing. A compiler cache that has something to give does better, and objects made with such
# headers are of no use to another clone: so it is the one or the other, decided once for a build folder.
# -DBELFRY_PRECOMPILE=OFF begins to fill a cache. Of our headers only those that most files of the target include anyway:
# a change of one of them has everything built again either way.
find_program(BELFRY_CCACHE ccache)
if(NOT DEFINED BELFRY_PRECOMPILE)
  set(precompile ON)
  if(BELFRY_CCACHE)
    execute_process(COMMAND ${BELFRY_CCACHE} --get-config cache_dir OUTPUT_VARIABLE cache OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET)
    file(GLOB kept ${cache}/[0-9a-f])
    if(kept)
      set(precompile OFF)
    endif()
  endif()
  set(BELFRY_PRECOMPILE ${precompile} CACHE BOOL "read headers once for each target")
endif()
if(BELFRY_CCACHE AND NOT BELFRY_PRECOMPILE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${BELFRY_CCACHE})
endif()
set(BELFRY_PRECOMPILED_belfry_tools tools/bench.hpp tools/arguments.hpp)
set(BELFRY_PRECOMPILED_belfry_engine engine/capability.hpp engine/session_book.hpp)
set(BELFRY_PRECOMPILED_belfry_view view/answers.hpp)
set(BELFRY_PRECOMPILED_belfry_store ports/store.hpp store/row_reader.hpp)
set(BELFRY_PRECOMPILED_belfry_net net/service.hpp net/exchange.hpp)
set(BELFRY_PRECOMPILED_belfry_cli cli/command.hpp cli/console.hpp)
set(BELFRY_PRECOMPILED_belfry_sim ports/reading.hpp sim/machine.hpp sim/sent.hpp)
set(BELFRY_PRECOMPILED_test_view view/answers_world_test.hpp)
set(BELFRY_PRECOMPILED_test_store store/sql_store.hpp store/sqlite_database.hpp store/postgres_database.hpp)
set(BELFRY_PRECOMPILED_test_net net/test_client.hpp net/test_house.hpp)
set(BELFRY_PRECOMPILED_test_sim sim/engine_world_test.hpp)
function(belfry_precompile target)
  if(BELFRY_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <set>
      <span> <string> <string_view> <utility> <variant> <vector> ${ARGN})
    list(TRANSFORM BELFRY_PRECOMPILED_${target} PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE ours)
    target_precompile_headers(${target} PRIVATE ${ours})
  endif()
endfunction()

# Compiles up to twenty source files of a target as one, which halves the time of a build from nothing: headers are read and their
# templates made once for the group. cmake/unity.py keeps files apart that define the same name. The preset `gcc` compiles each
# file by itself, and every preset a file of several such targets: UNITY_GROUP is a property of the file, so the group of one target
# would be its group in the others, where cmake/unity.py has not compared its names.
set(BELFRY_UNITY_SIZE 20)
find_program(BELFRY_PYTHON NAMES /usr/bin/python3 python3 REQUIRED)
function(belfry_unity target)
  if(NOT BELFRY_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(src|tests)/.*\\.cpp$")
  foreach(source ${sources})
    get_source_file_property(group ${source} UNITY_GROUP)
    if(group)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  execute_process(COMMAND ${BELFRY_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/unity.py ${BELFRY_UNITY_SIZE} ${sources}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" "|" groups "${groups}")
  set(number 0)
  while(groups MATCHES "^([^|]*)[|]?(.*)$" AND NOT CMAKE_MATCH_1 STREQUAL "")
    set(files ${CMAKE_MATCH_1})
    set(groups "${CMAKE_MATCH_2}")
    math(EXPR number "${number} + 1")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${number})
  endwhile()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# A binary that runs where only libc is: everything else is linked in; libpq is loaded when it is asked for.
function(belfry_finish_binary name)
  if(NOT BELFRY_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  endif()
endfunction()
