/* The vectors S1–S13: one buffer each, of a shape that is hard to size or to print. */
#include "hlo_builder.h"
#include "vectors.h"

enum { GRANULE = 512 };

static void element_vector(struct pbw *out, const char *name, const struct hb_shape *shape,
                           int64_t size, const int64_t *index, int n_index)
{
    struct hb hb;
    hb_init(&hb, name);
    hb_shaped_buffer(&hb, 1, size, 0, shape, index, n_index);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = size}, "1@0");
    hb_trace(&hb, "A1 F1");
    hb_finish(&hb, out);
}

static void shape_vector(struct pbw *out, const char *name, const struct hb_shape *shape,
                         int64_t size)
{
    element_vector(out, name, shape, size, NULL, 0);
}

void vec_S1(struct pbw *out)
{
    struct hb_shape s = {.type = HB_F32, .rank = 2, .dims = {96, 512}, .layout = HB_DESCENDING};
    shape_vector(out, "S1", &s, 196608);
}

void vec_S2(struct pbw *out)
{
    struct hb_shape s = {.type = HB_BF16,
                         .rank = 4,
                         .dims = {8, 56, 24, 16384},
                         .layout = HB_DESCENDING,
                         .tiles = {{8, 128}, {2, 1}}};
    shape_vector(out, "S2", &s, 352321536);
}

void vec_S3(struct pbw *out)
{
    struct hb_shape s = {.type = HB_F32, .layout = HB_DESCENDING, .tiles = {{128}}};
    shape_vector(out, "S3", &s, GRANULE);
}

void vec_S4(struct pbw *out)
{
    struct hb_shape s = {.type = HB_F32, .layout = HB_DESCENDING};
    shape_vector(out, "S4", &s, GRANULE);
}

void vec_S5(struct pbw *out)
{
    struct hb_shape s = {
        .type = HB_S4, .rank = 1, .dims = {10}, .layout = HB_DESCENDING, .element_bits = 4};
    shape_vector(out, "S5", &s, GRANULE);
}

void vec_S5b(struct pbw *out)
{
    struct hb_shape s = {.type = HB_S4, .rank = 1, .dims = {10}, .layout = HB_DESCENDING};
    shape_vector(out, "S5b", &s, GRANULE);
}

void vec_S6(struct pbw *out)
{
    struct hb_shape s = {.type = HB_PRED, .rank = 1, .dims = {7}, .layout = HB_DESCENDING};
    shape_vector(out, "S6", &s, GRANULE);
}

void vec_S7(struct pbw *out)
{
    struct hb_shape e[3] = {
        {.type = HB_F32, .rank = 1, .dims = {4}, .layout = HB_DESCENDING},
        {.type = HB_S32, .rank = 1, .dims = {2}, .layout = HB_DESCENDING},
        {.type = HB_PRED},
    };
    struct hb_shape s = {.type = HB_TUPLE, .elements = e, .n_elements = 3};
    shape_vector(out, "S7", &s, GRANULE);
}

void vec_S8(struct pbw *out)
{
    struct hb_shape s = {.type = HB_TOKEN};
    shape_vector(out, "S8", &s, GRANULE);
}

void vec_S9(struct pbw *out)
{
    struct hb_shape s = {.type = HB_OPAQUE};
    shape_vector(out, "S9", &s, GRANULE);
}

void vec_S10(struct pbw *out)
{
    struct hb_shape s = {.type = HB_F32,
                         .rank = 2,
                         .dims = {8, 4},
                         .dynamic = {true, false},
                         .layout = HB_DESCENDING};
    shape_vector(out, "S10", &s, GRANULE);
}

/* XProf takes the element 0 of the outer tuple (16 bytes); {1,0} is s32[2] (8 bytes). */
void vec_S11(struct pbw *out)
{
    struct hb_shape inner[2] = {
        {.type = HB_S32, .rank = 1, .dims = {2}, .layout = HB_DESCENDING},
        {.type = HB_F32, .rank = 1, .dims = {100}, .layout = HB_DESCENDING},
    };
    struct hb_shape outer[2] = {
        {.type = HB_F32, .rank = 1, .dims = {4}, .layout = HB_DESCENDING},
        {.type = HB_TUPLE, .elements = inner, .n_elements = 2},
    };
    struct hb_shape s = {.type = HB_TUPLE, .elements = outer, .n_elements = 2};
    element_vector(out, "S11", &s, GRANULE, (const int64_t[]){1, 0}, 2);
}

void vec_S12(struct pbw *out)
{
    struct hb_shape s = {.type = HB_F32, .rank = 2, .dims = {0, 5}, .layout = HB_DESCENDING};
    shape_vector(out, "S12", &s, GRANULE);
}

void vec_S13(struct pbw *out)
{
    struct hb_shape s = {.type = HB_BF16,
                         .rank = 4,
                         .dims = {1, 4096, 8, 1281},
                         .layout = HB_MINOR,
                         .minor = {1, 3, 2, 0},
                         .tiles = {{8, 128}, {2, 1}}};
    shape_vector(out, "S13", &s, 84410368);
}
