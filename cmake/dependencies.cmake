# Everything comes from Debian 12's packages (scripts/setup names them). Static where the binary carries it along.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

set(OPENSSL_USE_STATIC_LIBS TRUE)
find_package(OpenSSL 3.0 REQUIRED)

find_path(BELFRY_BOOST_INCLUDE boost/beast.hpp REQUIRED)
add_library(belfry_boost INTERFACE)
target_include_directories(belfry_boost SYSTEM INTERFACE ${BELFRY_BOOST_INCLUDE})
target_compile_definitions(belfry_boost INTERFACE BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_BEAST_USE_STD_STRING_VIEW)

find_library(BELFRY_SQLITE NAMES libsqlite3.a REQUIRED)
find_path(BELFRY_SQLITE_INCLUDE sqlite3.h REQUIRED)
add_library(belfry_sqlite INTERFACE)
target_include_directories(belfry_sqlite SYSTEM INTERFACE ${BELFRY_SQLITE_INCLUDE})
target_link_libraries(belfry_sqlite INTERFACE ${BELFRY_SQLITE} m ${CMAKE_DL_LIBS} Threads::Threads)

# Debian has no static libfmt; the header alone does.
find_path(BELFRY_FMT_INCLUDE fmt/format.h REQUIRED)
add_library(belfry_fmt INTERFACE)
target_compile_definitions(belfry_fmt INTERFACE FMT_HEADER_ONLY)

find_path(BELFRY_PQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
