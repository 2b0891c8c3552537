/* TensorFlow's DataType in words. In: its number, as an allocation says it. Out: "float", ... */
#include "xprofd/profile/allocations.h"

/* A reference to a type has its number and 100. */
struct xpd_str xpd_allocation_type(int32_t data_type, struct xpd_arena *arena)
{
    static const char *const words[] = {"INVALID",
                                        "float",
                                        "double",
                                        "int32",
                                        "uint8",
                                        "int16",
                                        "int8",
                                        "string",
                                        "complex64",
                                        "int64",
                                        "bool",
                                        "qint8",
                                        "quint8",
                                        "qint32",
                                        "bfloat16",
                                        "qint16",
                                        "quint16",
                                        "uint16",
                                        "complex128",
                                        "half",
                                        "resource",
                                        "variant",
                                        "uint32",
                                        "uint64",
                                        "float8_e5m2",
                                        "float8_e4m3fn",
                                        "float8_e4m3fnuz",
                                        "float8_e4m3b11fnuz",
                                        "float8_e5m2fnuz",
                                        "int4",
                                        "uint4"};
    bool refers = data_type > 100;
    int32_t plain = refers ? data_type - 100 : data_type;
    const char *ref = refers ? "_ref" : "";
    bool known = plain >= 0 && plain < (int32_t)(sizeof words / sizeof *words);
    const char *text = known ? xpd_arena_printf(arena, "%s%s", words[plain], ref)
                             : xpd_arena_printf(arena, "unknown dtype enum (%d)%s", plain, ref);
    return xpd_str_of(text);
}
