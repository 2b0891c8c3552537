# What the program says about its build, as the object xpd_commit. Looked at in each build, written when it changed.
# With -P this file is the script that writes it: cmake -DSOURCE= -DOUT= -DTARGET= -P Commit.cmake
if(CMAKE_SCRIPT_MODE_FILE)
    set(commit "unknown commit")
    if(EXISTS ${SOURCE}/.git)
        execute_process(COMMAND git -C ${SOURCE} log -1 --abbrev=12 --format=%h\ %cs OUTPUT_VARIABLE said
                        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
                        ERROR_QUIET)
    else() # a release's source: git archive wrote the commit into the file (.gitattributes)
        file(STRINGS ${SOURCE}/.cmake/commit.txt said LIMIT_COUNT 1)
    endif()
    if(said MATCHES "^([0-9a-f]+) ([0-9-]+)$")
        string(SUBSTRING ${CMAKE_MATCH_1} 0 12 commit)
        string(APPEND commit " ${CMAKE_MATCH_2}")
    endif()
    if(changes)
        string(APPEND commit ", with changes")
    endif()
    file(CONFIGURE OUTPUT ${OUT} CONTENT "extern const char xpd_build_text[];\nconst char xpd_build_text[] = \"${commit}, ${TARGET}\";\n")
    return()
endif()

set(commit_c ${CMAKE_BINARY_DIR}/commit/commit.c)
set(target ${CMAKE_SYSTEM_PROCESSOR})
if(XPD_STATIC)
    string(APPEND target ", static musl")
endif()
add_custom_target(commit_text BYPRODUCTS ${commit_c}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${commit_c} -DTARGET=${target}
            -P ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)
add_library(xpd_commit OBJECT ${commit_c})
add_dependencies(xpd_commit commit_text)
