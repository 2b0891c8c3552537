/* The body of a kernel, of any bytes: an answer or a reason, and never more text than the bytes
 * warrant, however their parts name each other. */
#include "must.h"

#include "xprofd/hlo/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_arena arena;
    struct xpd_strbuf out = {0};
    struct xpd_err err = {0};
    xpd_arena_init(&arena, (uint64_t)64 << 20);
    int rc = xpd_kernel_text(&out, &arena, (struct xpd_str){(const char *)data, size}, &err);
    if (rc == XPD_OK)
        MUST(out.size > 0 && out.size < 16384 + 200 * size);
    else
        MUST(err.code == rc && err.text[0] != '\0');
    for (size_t i = 0; i < out.size; i++) /* nothing that a terminal takes for an order */
        MUST(out.data[i] == '\n' || (out.data[i] >= ' ' && out.data[i] <= '~'));
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
    return 0;
}
