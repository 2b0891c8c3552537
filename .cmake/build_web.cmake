# Builds the page in a copy of web/: cmake -DSOURCE= -DWORK= -DDIST= -DNODE= -DNPM= -P build_web.cmake
file(GLOB old LIST_DIRECTORIES true ${WORK}/* ${WORK}/.npmrc)
list(FILTER old EXCLUDE REGEX "/(node_modules|installed-lock\\.json)$")
if(old)
    file(REMOVE_RECURSE ${old})
endif()
file(COPY ${SOURCE}/ DESTINATION ${WORK} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
# What the numbers mean stands once, for the reader of docs/ and for the page's help.
file(COPY ${SOURCE}/../docs/NUMBERS.md DESTINATION ${WORK})

function(run what)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE text
                    ERROR_VARIABLE text)
    if(NOT result EQUAL 0)
        message("${text}")
        message(FATAL_ERROR "${what} failed (${result}); its output is above")
    endif()
endfunction()

# Packages are installed again only when the lock file changed.
file(READ ${WORK}/package-lock.json lock)
set(installed "")
if(EXISTS ${WORK}/installed-lock.json)
    file(READ ${WORK}/installed-lock.json installed)
endif()
if(NOT lock STREQUAL installed OR NOT EXISTS ${WORK}/node_modules)
    file(REMOVE ${WORK}/installed-lock.json)
    run("npm ci" ${NPM} ci --ignore-scripts --no-audit --no-fund)
    file(WRITE ${WORK}/installed-lock.json "${lock}")
endif()

file(REMOVE_RECURSE ${DIST})
file(MAKE_DIRECTORY ${DIST})
run("node build.mjs" ${NODE} build.mjs --outdir ${DIST})
if(NOT EXISTS ${DIST}/index.html)
    message(FATAL_ERROR "node build.mjs left no ${DIST}/index.html")
endif()
