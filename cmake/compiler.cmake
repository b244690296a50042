# One place for how the code is compiled. Warnings are errors; assertions of the program are always on.
add_library(belfry_flags INTERFACE)
target_compile_options(belfry_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Werror -fno-omit-frame-pointer -g1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns about its own library when it inlines std::string and coroutine frames.
  target_compile_options(belfry_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-mismatched-new-delete)
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
find_program(BELFRY_CCACHE ccache)
if(BELFRY_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${BELFRY_CCACHE})
endif()

# A binary that runs where only libc is: everything else is linked in; libpq is loaded when it is asked for.
function(belfry_finish_binary name)
  if(NOT BELFRY_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
  endif()
endfunction()
