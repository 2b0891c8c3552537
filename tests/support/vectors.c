#include "vectors.h"

#include "hlo_builder.h"

#include <string.h>

enum { K = 1024, M = 1024 * 1024 };

/* Most vectors have one temp allocation of colour 0 and one trace. */
static void one_temp(struct hb *hb, int64_t size, const char *members, const char *events)
{
    hb_alloc(hb, &(struct hb_alloc){.index = 0, .size = size}, members);
    hb_trace(hb, events);
}

void vec_V1(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V1");
    hb_buffer(&hb, 1, 100 * K, 80 * K, 0);
    hb_buffer(&hb, 2, 50 * K, 50 * K, 0);
    hb_buffer(&hb, 3, 70 * K, 60 * K, 0);
    one_temp(&hb, 256 * K, "1@0 2@100K 3@150K", "A1 A2 F1 A3 F2 F3");
    hb_finish(&hb, out);
}

/* V2 and V3 differ only in the order of events. */
static void share(struct pbw *out, const char *name, const char *events)
{
    struct hb hb;
    hb_init(&hb, name);
    hb_buffer(&hb, 1, 512 * K, 8, 0);
    hb_buffer(&hb, 2, 512 * K, 8, 0);
    hb_buffer(&hb, 3, 1 * M, 8, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 1 * M}, "1@0 2@512K");
    hb_alloc(&hb, &(struct hb_alloc){.index = 1, .size = 1 * M, .constant = true}, "3@0");
    hb_trace(&hb, events);
    hb_finish(&hb, out);
}

void vec_V2(struct pbw *out)
{
    share(out, "V2", "A1 S2>1 F1 F2");
}

void vec_V3(struct pbw *out)
{
    share(out, "V3", "A1 F1 S2>1 F2");
}

void vec_V4(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V4");
    hb_buffer(&hb, 1, 512 * K, 8, 0);
    hb_buffer(&hb, 2, 512 * K, 8, 0);
    hb_buffer(&hb, 3, 512 * K, 8, 0);
    one_temp(&hb, 1536 * K, "1@0 2@0 3@0", "A1 S2>1 F1 F2 S3>2 F3");
    hb_finish(&hb, out);
}

void vec_V5(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V5");
    hb_buffer(&hb, 1, 256 * K, 8, 1);
    hb_buffer(&hb, 2, 256 * K, 8, 1);
    hb_buffer(&hb, 3, 256 * K, 8, 1);
    hb_buffer(&hb, 4, 512 * K, 8, 1);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 768 * K, .color = 1},
             "1@0 2@0 3@0 4@256K");
    hb_trace(&hb, "A1 S2>1 F1 F2 A4 S3>2 F3 F4");
    hb_finish(&hb, out);
}

void vec_V6(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V6");
    hb_buffer(&hb, 1, 32 * K, 32 * K, 0);
    hb_buffer(&hb, 2, 64 * K, 64 * K, 0);
    /* XLA reserves the size of the largest member for the whole group. */
    one_temp(&hb, 64 * K, "1@0:64K 2@0:64K", "A1 S2>1 F1 F2");
    hb_finish(&hb, out);
}

void vec_V7(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V7");
    hb_buffer(&hb, 1, 16384, 16384, 0);
    hb_buffer(&hb, 2, 16383, 16380, 0);
    hb_buffer(&hb, 3, 40 * K, 40 * K, 0);
    hb_buffer(&hb, 4, 16383, 16380, 0);
    hb_buffer(&hb, 5, 0, 0, 0);
    hb_buffer(&hb, 6, 20 * K, 20 * K, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 16384, .parameter = true}, "1@0");
    hb_alloc(
        &hb,
        &(struct hb_alloc){
            .index = 1, .size = 16896, .parameter = true, .parameter_number = 1, .live_out = true},
        "2@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 2, .size = 40 * K, .constant = true}, "3@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 3, .size = 512, .is_thread_local = true}, "5@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 4, .size = 64 * K}, "4@0 6@16384");
    hb_trace_at(&hb, "A4 A6 F4 F6", true, 4);
    hb_finish(&hb, out);
}

void vec_V8(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V8");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 2, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 3, 20 * K, 20 * K, 0);
    one_temp(&hb, 40 * K, "1@0 2@20K 3@0", "A1 A2 F1 A3 F2 F3");
    hb_finish(&hb, out);
}

void vec_V9(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V9");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 2, 20 * K, 20 * K, 0);
    one_temp(&hb, 40 * K, "1@0 2@20K", "A1 A2 F2");
    hb_finish(&hb, out);
}

/* V10, V11 and V18: one buffer of 20K that fills its allocation. */
static void one_buffer(struct pbw *out, const char *name, const char *events)
{
    struct hb hb;
    hb_init(&hb, name);
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    one_temp(&hb, 20 * K, "1@0", events);
    hb_finish(&hb, out);
}

void vec_V10(struct pbw *out)
{
    one_buffer(out, "V10", "A1 A99 F99 F1");
}

void vec_V11(struct pbw *out)
{
    one_buffer(out, "V11", "A1 F1 F1");
}

void vec_V12(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V12");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 2, 20 * K, 20 * K, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 20 * K}, "1@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 1, .size = 20 * K}, "2@0");
    hb_trace(&hb, "A1 A2 F1 F2");
    hb_finish(&hb, out);
}

void vec_V13(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V13");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 2, 30 * K, 30 * K, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 50 * K}, "1@0 2@20K");
    hb_trace_at(&hb, "A1 F1", false, 0);
    hb_trace_at(&hb, "A2 F2", false, 0);
    hb_finish(&hb, out);
}

void vec_V14(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V14");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 2, 30 * K, 30 * K, 0);
    hb_buffer(&hb, 3, 100 * K, 100 * K, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 100 * K, .parameter = true}, "3@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 1, .size = 64 * K, .color = 2}, "1@0 2@20K");
    hb_trace_at(&hb, "A1 A2 F1 F2", true, 1);
    hb_finish(&hb, out);
}

void vec_V15(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V15");
    hb_buffer(&hb, 1, 512 * K, 512 * K, 1);
    hb_buffer(&hb, 2, 256 * K, 256 * K, 1);
    hb_buffer(&hb, 3, 128 * K, 128 * K, 1);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 1 * M, .color = 1}, "1@0 2@512K");
    hb_alloc(&hb, &(struct hb_alloc){.index = 1, .size = 128 * K, .color = 1, .live_out = true},
             "3@0");
    hb_trace(&hb, "A1 A2 F1 F2");
    hb_instruction(&hb, &(struct hb_instr){.name = "kernel.9",
                                           .opcode = "custom-call",
                                           .id = 9,
                                           .backend_config =
                                               "{\"used_scoped_memory_configs\":[{\"memory_"
                                               "space\":\"1\",\"size\":\"1048576\"}]}"});
    hb_finish(&hb, out);
}

void vec_V16(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V16");
    hb_buffer(&hb, 1, 32768, 25600, 0);
    hb_buffer(&hb, 2, 65536, 65536, 0);
    one_temp(&hb, 98304, "1@0 2@32K", "A1 A2 F2 F1");
    hb_finish(&hb, out);
}

void vec_V17(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V17");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 20 * K, .parameter = true}, "1@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 1, .size = 0, .color = 1}, "");
    hb_trace_at(&hb, "", true, 1);
    hb_finish(&hb, out);
}

void vec_V18(struct pbw *out)
{
    one_buffer(out, "V18", "A1 A1 F1 F1");
}

void vec_V19(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V19");
    hb_buffer(&hb, 1, 20 * K, 20 * K, 0);
    hb_buffer(&hb, 2, 24 * K, 24 * K, 0);
    hb_buffer(&hb, 3, 24 * K, 24 * K, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 32 * K, .parameter = true}, "1@0 2@0 3@0");
    hb_finish(&hb, out);
}

void vec_V20(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V20");
    hb_buffer(&hb, 1, 100, 100, 0);
    hb_buffer(&hb, 2, 200, 200, 0);
    one_temp(&hb, 512, "1@0 2@128", "A1 A2 F2 F1");
    hb_finish(&hb, out);
}

void vec_V21(struct pbw *out)
{
    struct hb hb;
    hb_init(&hb, "V21");
    hb_buffer(&hb, 1, 128 * M, 128 * M, 0);
    hb_buffer(&hb, 2, 128 * M, 128 * M, 0);
    one_temp(&hb, 54344548352, "1@54076112896 2@54210330624", "A1 A2 F1 F2");
    hb_finish(&hb, out);
}

/* ---- the table ---- */

/* clang-format off */
#define VECTOR(name) {#name, vec_##name}
const struct vec vectors[] = {
    VECTOR(V1), VECTOR(V2), VECTOR(V3), VECTOR(V4), VECTOR(V5), VECTOR(V6), VECTOR(V7),
    VECTOR(V8), VECTOR(V9), VECTOR(V10), VECTOR(V11), VECTOR(V12), VECTOR(V13), VECTOR(V14),
    VECTOR(V15), VECTOR(V16), VECTOR(V17), VECTOR(V18), VECTOR(V19), VECTOR(V20), VECTOR(V21),
    VECTOR(S1), VECTOR(S2), VECTOR(S3), VECTOR(S4), VECTOR(S5), VECTOR(S5b), VECTOR(S6),
    VECTOR(S7), VECTOR(S8), VECTOR(S9), VECTOR(S10), VECTOR(S11), VECTOR(S12), VECTOR(S13),
};
/* clang-format on */
const size_t n_vectors = sizeof vectors / sizeof *vectors;

const struct vec *vec_find(const char *name)
{
    for (size_t i = 0; i < n_vectors; i++) {
        if (strcmp(vectors[i].name, name) == 0) {
            return &vectors[i];
        }
    }
    return NULL;
}
