# The page: web/ built by npm into build/web/dist, then packed into the objects xpd_assets.
#
# The build runs on a copy of web/ in the build folder, so the source tree stays clean. The registry is whatever npm
# is set up with. A release's source carries the finished page (packaging/source), and then needs neither node nor npm.
add_executable(pack_assets ${CMAKE_SOURCE_DIR}/src/build_tools/pack_assets.c
                           ${CMAKE_SOURCE_DIR}/src/build_tools/pack.c)
target_include_directories(pack_assets SYSTEM PRIVATE ${ZOPFLI_INCLUDE})
target_link_libraries(pack_assets PRIVATE xpd_flags ${ZOPFLI_LIBRARY} m)

set(XPD_WEB_SOURCE ${CMAKE_SOURCE_DIR}/web)
set(XPD_WEB_WORK ${CMAKE_BINARY_DIR}/web/work)
set(XPD_WEB_DIST ${CMAKE_SOURCE_DIR}/src/server/no_page)
set(web_done ${XPD_WEB_DIST}/index.html)
if(XPD_WEB AND EXISTS ${XPD_WEB_SOURCE}/built/index.html)
    set(XPD_WEB_DIST ${XPD_WEB_SOURCE}/built)
    set(web_done ${XPD_WEB_DIST}/index.html)
elseif(XPD_WEB)
    find_program(NODE NAMES node nodejs)
    find_program(NPM NAMES npm)
    if(NOT NODE OR NOT NPM)
        message(FATAL_ERROR "The page needs node (18 or later) and npm to be built. Install both "
                            "(packaging/needs build), or configure with -DXPD_WEB=OFF for a server without page.")
    endif()
    file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${XPD_WEB_SOURCE}/src/* ${XPD_WEB_SOURCE}/test/*)
    file(GLOB web_top CONFIGURE_DEPENDS ${XPD_WEB_SOURCE}/*.json ${XPD_WEB_SOURCE}/*.mjs ${XPD_WEB_SOURCE}/*.html
                      ${XPD_WEB_SOURCE}/.npmrc ${CMAKE_SOURCE_DIR}/docs/NUMBERS.md)
    set(XPD_WEB_DIST ${CMAKE_BINARY_DIR}/web/dist)
    set(web_done ${CMAKE_BINARY_DIR}/web/dist.stamp)
    add_custom_command(
        OUTPUT ${web_done}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${XPD_WEB_SOURCE} -DWORK=${XPD_WEB_WORK} -DDIST=${XPD_WEB_DIST}
                -DNODE=${NODE} -DNPM=${NPM} -P ${CMAKE_SOURCE_DIR}/.cmake/build_web.cmake
        COMMAND ${CMAKE_COMMAND} -E touch ${web_done}
        DEPENDS ${web_sources} ${web_top} ${CMAKE_SOURCE_DIR}/.cmake/build_web.cmake
        COMMENT "The page (npm ci, build.mjs)"
        VERBATIM)
endif()

set(XPD_ASSETS_DIR ${CMAKE_BINARY_DIR}/assets)
add_custom_command(
    OUTPUT ${XPD_ASSETS_DIR}/assets.S
    COMMAND ${CMAKE_COMMAND} -E make_directory ${XPD_ASSETS_DIR}
    COMMAND pack_assets ${XPD_WEB_DIST} ${XPD_ASSETS_DIR} 90000
    DEPENDS pack_assets ${web_done}
    COMMENT "Packing the page"
    VERBATIM)
add_library(xpd_assets OBJECT ${XPD_ASSETS_DIR}/assets.S ${XPD_SAMPLES_S})
