# The libraries we build on, as the target xpd_dependencies. All are Debian 12 packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(XPD_ALL_AT_ONCE "packaging/needs build installs all that is missing.")

function(xpd_need name package)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${ARGN})
    if(NOT ${name}_FOUND)
        message(FATAL_ERROR "${ARGN} was not found (Debian package ${package}). ${XPD_ALL_AT_ONCE}")
    endif()
endfunction()
xpd_need(MICROHTTPD libmicrohttpd-dev libmicrohttpd>=0.9.74)
xpd_need(PROTOBUF_C libprotobuf-c-dev libprotobuf-c>=1.3)
xpd_need(CJSON libcjson-dev libcjson)
xpd_need(PCRE2 libpcre2-dev libpcre2-8>=10.36)
xpd_need(ZLIB_PC zlib1g-dev zlib)
xpd_need(ARCHIVE libarchive-dev libarchive>=3.4)

# Only to pack the page at build time; it has no pkg-config file, and Debian puts the library into /usr/lib itself.
find_path(ZOPFLI_INCLUDE zopfli/zopfli.h)
find_library(ZOPFLI_LIBRARY zopfli PATHS /usr/lib)
if(NOT XPD_PACKED AND (NOT ZOPFLI_INCLUDE OR NOT ZOPFLI_LIBRARY))
    message(FATAL_ERROR "zopfli was not found (Debian package libzopfli-dev). ${XPD_ALL_AT_ONCE}")
endif()

add_library(xpd_dependencies INTERFACE)
target_link_libraries(xpd_dependencies INTERFACE PkgConfig::MICROHTTPD PkgConfig::PROTOBUF_C PkgConfig::CJSON
                      PkgConfig::PCRE2 PkgConfig::ARCHIVE PkgConfig::ZLIB_PC Threads::Threads m)
