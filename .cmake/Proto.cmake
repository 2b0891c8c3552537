# C code for proto/*.proto by protoc-c, as the library xpd_proto: header "<name>.pb-c.h", compiled without our warnings.
find_program(PROTOC_C NAMES protoc-c REQUIRED)
set(XPD_PROTO_DIR ${CMAKE_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${XPD_PROTO_DIR})
file(GLOB protos CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/proto/*.proto)
set(generated)
foreach(proto IN LISTS protos)
    get_filename_component(name ${proto} NAME_WE)
    add_custom_command(
        OUTPUT ${XPD_PROTO_DIR}/${name}.pb-c.c ${XPD_PROTO_DIR}/${name}.pb-c.h
        COMMAND ${PROTOC_C} --c_out=${XPD_PROTO_DIR} --proto_path=${CMAKE_SOURCE_DIR}/proto ${proto}
        DEPENDS ${proto}
        COMMENT "protoc-c ${name}.proto"
        VERBATIM)
    list(APPEND generated ${XPD_PROTO_DIR}/${name}.pb-c.c)
endforeach()
add_library(xpd_proto STATIC ${generated})
target_compile_options(xpd_proto PRIVATE -w)
target_include_directories(xpd_proto SYSTEM PUBLIC ${XPD_PROTO_DIR})
target_link_libraries(xpd_proto PUBLIC PkgConfig::PROTOBUF_C)
if(XPD_SANITIZE)
    list(JOIN XPD_SANITIZE "," sanitizers)
    target_compile_options(xpd_proto PRIVATE -fsanitize=${sanitizers} -fno-omit-frame-pointer)
endif()
