# Profiles that the program carries, so that somebody without one can look around: packed from testdata/ into
# XPD_SAMPLES_S. What each shows is said in src/cli/cli_samples.c.
add_executable(pack_samples ${CMAKE_SOURCE_DIR}/src/build_tools/pack_samples.c
                            ${CMAKE_SOURCE_DIR}/src/build_tools/pack.c)
target_include_directories(pack_samples SYSTEM PRIVATE ${ZOPFLI_INCLUDE})
target_link_libraries(pack_samples PRIVATE xpd_flags ${ZOPFLI_LIBRARY} m)

set(XPD_SAMPLES_DIR ${CMAKE_BINARY_DIR}/samples)
set(XPD_SAMPLES_S ${XPD_SAMPLES_DIR}/samples.S)
set(sample_files)
set(sample_arguments)
foreach(sample IN ITEMS tpu_padded_demo/logdir/plugins/profile/aot tpu_scan_layers/logdir/plugins/profile/aot
                        cpu_mlp_train/logdir/plugins/profile/run0)
    string(REGEX REPLACE "/.*" "" name ${sample})
    set(file ${CMAKE_SOURCE_DIR}/testdata/${sample}/host0.xplane.pb)
    list(APPEND sample_files ${file})
    list(APPEND sample_arguments ${name}=${file})
endforeach()
add_custom_command(
    OUTPUT ${XPD_SAMPLES_S}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${XPD_SAMPLES_DIR}
    COMMAND pack_samples ${XPD_SAMPLES_DIR} ${sample_arguments}
    DEPENDS pack_samples ${sample_files}
    COMMENT "Packing the samples"
    VERBATIM)
