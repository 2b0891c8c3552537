/* HBM of TPU chips, from Google Cloud's public documentation (cloud.google.com/tpu/docs/v2 ... v6e,
 * "HBM capacity per chip"). What a program can use is a little less: the runtime keeps some.
 *
 * By device_type_string, which is the marketing name or the one libtpu prints ("lite" = e). v2 and
 * v3 show each of a chip's two cores as a device of its own, with half of the chip's memory. */
#include "plane.h"

#define GIB ((int64_t)1 << 30)

static const struct {
    const char *name;
    int64_t hbm_bytes;
    const char *from;
} chips[] = {
    {"TPU v2", 8 * GIB, "nominal for a core of TPU v2"},
    {"TPU v3", 16 * GIB, "nominal for a core of TPU v3"},
    {"TPU v4 Lite", 8 * GIB, "nominal for TPU v4 Lite"},
    {"TPU v4", 32 * GIB, "nominal for TPU v4"},
    {"TPU v5 Lite", 16 * GIB, "nominal for TPU v5 Lite"},
    {"TPU v5e", 16 * GIB, "nominal for TPU v5e"},
    {"TPU v5p", 95 * GIB, "nominal for TPU v5p"},
    {"TPU v5", 95 * GIB, "nominal for TPU v5p"},
    {"TPU v6 Lite", 32 * GIB, "nominal for TPU v6 Lite"},
    {"TPU v6e", 32 * GIB, "nominal for TPU v6e"},
};

int64_t xpd_chip_hbm_bytes(struct xpd_str device_type, const char **from)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct xpd_str name = xpd_str_of(chips[i].name);
        if (name.size == device_type.size && xpd_str_find(device_type, name, true) == 0) {
            *from = chips[i].from;
            return chips[i].hbm_bytes;
        }
    }
    *from = "";
    return -1;
}
