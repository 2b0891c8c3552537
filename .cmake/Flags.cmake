# Language, warnings and sanitizers of our own C code, as the target xpd_flags.
add_library(xpd_flags INTERFACE)
target_compile_features(xpd_flags INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(xpd_warnings -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2)
if(XPD_WERROR)
    list(APPEND xpd_warnings -Werror)
endif()
target_compile_options(xpd_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${xpd_warnings}>")
target_compile_definitions(xpd_flags INTERFACE _GNU_SOURCE=1 $<$<BOOL:${XPD_DEBUG_ARENA}>:XPD_DEBUG_ARENA=1>)

# A compiler cache and a faster linker where they are installed: the same program, sooner.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
include(CheckLinkerFlag)
set(linkers mold lld gold)
if(XPD_STATIC) # the linker of the compiler, so that each machine makes the same bytes
    set(linkers)
endif()
foreach(linker IN LISTS linkers)
    check_linker_flag(C -fuse-ld=${linker} XPD_LINKS_WITH_${linker})
    if(XPD_LINKS_WITH_${linker})
        add_link_options(-fuse-ld=${linker})
        break()
    endif()
endforeach()

# Hardening that costs nothing measurable; sanitizers bring their own.
if(XPD_SANITIZE OR XPD_FUZZ)
    set(sanitizers ${XPD_SANITIZE})
    if(XPD_FUZZ)
        if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
            message(FATAL_ERROR "XPD_FUZZ=ON needs clang (libFuzzer): configure with CC=clang")
        endif()
        if(NOT sanitizers)
            set(sanitizers address undefined)
        endif()
        target_compile_options(xpd_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>")
    endif()
    list(JOIN sanitizers "," sanitizers)
    # Asserts count here in any build type: CMake's RelWithDebInfo, which tests/fuzz/run builds, would leave them out.
    set(flags -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all -UNDEBUG)
    target_compile_options(xpd_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${flags}>")
    target_link_options(xpd_flags INTERFACE -fsanitize=${sanitizers})
else()
    target_compile_options(xpd_flags INTERFACE
        "$<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>"
        "$<$<COMPILE_LANGUAGE:C>:-fstack-protector-strong>")
    target_link_options(xpd_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
