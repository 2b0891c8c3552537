/* Reads the text of an out-of-memory error of XLA.
 *
 * In: pasted text, perhaps with a log around it. Out: its form, sizes, space, module and
 * allocations, with their positions. The most specific form is tried first; a text of another form
 * is not understood, and nothing is set. */
#include "xprofd/memory/oom_text.h"

#include "oom_scan.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

#define TEXT_MAX ((size_t)1 << 20)

static const struct {
    const char *word;
    int64_t color;
    const char *form;
} spaces[] = {{"hbm", 0, "tpu_hbm"},   {"vmem", 1, "tpu_vmem"}, {"sflag", 2, "tpu_sflag"},
              {"cmem", 3, "tpu_cmem"}, {"smem", 4, "tpu_smem"}, {"host", 5, "tpu_host"}};

static bool same_letters(struct xpd_str a, const char *word)
{
    return a.size == strlen(word) && xpd_str_find(a, xpd_str_of(word), true) == 0;
}

/* Sets the space by its word; the form too when `form` is true. */
static void set_space(struct xpd_oom_scan *s, struct xpd_str word, bool form)
{
    s->out->space = word;
    if (form)
        s->out->form = "tpu_space";
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (!same_letters(word, spaces[i].word))
            continue;
        s->out->color = spaces[i].color;
        s->out->space = xpd_str_of(spaces[i].word);
        if (form)
            s->out->form = spaces[i].form;
    }
    xpd_oom_mark(s, (size_t)(word.data - s->text.data), word.size, "space");
}

static void set_needed(struct xpd_oom_scan *s, const struct xpd_oom_size *size)
{
    s->out->needed_bytes = size->bytes;
    s->out->needed_slack_bytes = size->slack_bytes;
}

static void set_capacity(struct xpd_oom_scan *s, const struct xpd_oom_size *size)
{
    s->out->capacity_bytes = size->bytes;
}

static struct xpd_oom_item *add_item(struct xpd_oom_scan *s, const struct xpd_oom_size *size)
{
    struct xpd_oom_item item = {
        .size_bytes = size->bytes, .size_slack_bytes = size->slack_bytes, .unpadded_bytes = -1};
    item.shape = item.op_name = item.instruction = item.tag = XPD_STR("");
    XPD_PUSH(&s->item, item);
    return s->item.failed ? NULL : &s->item.at[s->item.count - 1];
}

static void read_module(struct xpd_oom_scan *s)
{
    static const char *const before[] = {"HLO module: ", "Error loading program '"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t at = xpd_oom_after(s->text, 0, before[i]);
        if (at == SIZE_MAX)
            continue;
        s->out->module = xpd_oom_word_at(s->text, at);
        xpd_oom_mark(s, at, s->out->module.size, "module");
        return;
    }
}

/* 'text' after "key", with blanks around "=" or none. */
static struct xpd_str quoted(struct xpd_oom_scan *s, const char *key, const char *what)
{
    for (size_t at = xpd_oom_after(s->text, 0, key); at != SIZE_MAX;
         at = xpd_oom_after(s->text, at, key)) {
        size_t i = at;
        while (i < s->text.size && (s->text.data[i] == ' ' || s->text.data[i] == '='))
            i++;
        if (i == at || i >= s->text.size || (s->text.data[i] != '\'' && s->text.data[i] != '"'))
            continue;
        struct xpd_str value = xpd_oom_until(s->text, i + 1, s->text.data[i]);
        xpd_oom_mark(s, i + 1, value.size, what);
        return value;
    }
    return XPD_STR("");
}

/* "... of OP@{idx}": the name between the last blank before '@' and '@'. */
static struct xpd_str op_of_tag(struct xpd_str tag)
{
    size_t end = 0, start;
    while (end < tag.size && tag.data[end] != '@')
        end++;
    for (start = end; start > 0 && tag.data[start - 1] != ' ' && tag.data[start - 1] != '%';)
        start--;
    return end == tag.size ? XPD_STR("") : (struct xpd_str){tag.data + start, end - start};
}

/* Allocation (size=...) would exceed memory (size=...) :: #n :: ... space=hbm ... shape = '...' */
static bool read_allocation(struct xpd_oom_scan *s)
{
    struct xpd_oom_size needed, capacity;
    size_t at = xpd_oom_after(s->text, 0, "Allocation (size");
    if (at == SIZE_MAX || !xpd_oom_size_after(s, at, "=", "needed", &needed))
        return false;
    s->out->form = "tpu_allocation";
    set_needed(s, &needed);
    if (xpd_oom_size_after(s, needed.end, "would exceed memory (size=", "capacity", &capacity))
        set_capacity(s, &capacity);
    size_t space = xpd_oom_after(s->text, at, "space=");
    if (space != SIZE_MAX)
        set_space(s, xpd_oom_word_at(s->text, space), false);
    struct xpd_oom_item *item = add_item(s, &needed);
    if (!item)
        return true;
    item->shape = quoted(s, "shape", "shape");
    item->tag = quoted(s, "tag", "op");
    item->instruction = op_of_tag(item->tag);
    return true;
}

/* ... in memory space vmem while allocating on stack for %op = ... Scoped allocation with size X
 * and limit Y exceeded scoped vmem limit by Z */
static bool read_scoped(struct xpd_oom_scan *s)
{
    struct xpd_oom_size needed, capacity, exceeded;
    if (!xpd_oom_size_after(s, 0, "Scoped allocation with size ", "needed", &needed))
        return false;
    s->out->form = "tpu_scoped_vmem_e1001";
    set_needed(s, &needed);
    if (xpd_oom_size_after(s, needed.end, "and limit ", "capacity", &capacity))
        set_capacity(s, &capacity);
    if (xpd_oom_size_after(s, needed.end, "limit by ", "exceeded", &exceeded))
        s->out->exceeded_bytes = exceeded.bytes;
    size_t space = xpd_oom_after(s->text, 0, "memory space ");
    set_space(s, space == SIZE_MAX ? XPD_STR("vmem") : xpd_oom_word_at(s->text, space), false);
    struct xpd_oom_item *item = add_item(s, &needed);
    size_t at = xpd_oom_after(s->text, 0, "on stack for ");
    if (!item || at == SIZE_MAX)
        return true;
    if (at < s->text.size && s->text.data[at] == '%')
        at++;
    item->instruction = xpd_oom_word_at(s->text, at);
    xpd_oom_mark(s, at, item->instruction.size, "op");
    return true;
}

/* Used X of Y hbm. Exceeded hbm capacity by Z. */
static bool read_used(struct xpd_oom_scan *s)
{
    struct xpd_oom_size needed, capacity, exceeded;
    size_t at = 0;
    for (;;) {
        at = xpd_oom_after(s->text, at, "Used ");
        if (at == SIZE_MAX)
            return false;
        if (xpd_oom_size_at(s->text, at, &needed) &&
            xpd_oom_after(s->text, needed.end, " of ") == needed.end + 4 &&
            xpd_oom_size_at(s->text, needed.end + 4, &capacity))
            break;
    }
    xpd_oom_mark(s, needed.at, needed.end - needed.at, "needed");
    xpd_oom_mark(s, capacity.at, capacity.end - capacity.at, "capacity");
    set_needed(s, &needed);
    set_capacity(s, &capacity);
    set_space(s, xpd_oom_word_at(s->text, capacity.end + 1), true);
    if (xpd_oom_size_after(s, capacity.end, "capacity by ", "exceeded", &exceeded))
        s->out->exceeded_bytes = exceeded.bytes;
    xpd_oom_read_list(s);
    return true;
}

/* Ran out of memory on HBM, the total memory required for HLO temporaries (X) exceeds available HBM
 * (Y) */
static bool read_e1000(struct xpd_oom_scan *s)
{
    struct xpd_oom_size needed, capacity;
    size_t at = xpd_oom_after(s->text, 0, "Ran out of memory on ");
    if (at == SIZE_MAX ||
        !xpd_oom_size_after(s, at, "memory required for HLO temporaries", "needed", &needed))
        return false;
    set_needed(s, &needed);
    set_space(s, xpd_oom_word_at(s->text, at), true);
    s->out->form = s->out->color == 0 ? "tpu_hbm_e1000" : s->out->form;
    size_t behind = xpd_oom_after(s->text, needed.end, "exceeds available ");
    if (behind != SIZE_MAX && xpd_oom_size_after(s, behind, " (", "capacity", &capacity))
        set_capacity(s, &capacity);
    return true;
}

/* TPU TensorCore Hbm usage: X, SparseCore Hbm usage Y, exceeding available bytes: Z; also TC and SC
 */
static bool read_cores(struct xpd_oom_scan *s)
{
    struct xpd_oom_size first, second, capacity;
    size_t at = xpd_oom_after(s->text, 0, "Hbm usage");
    if (at == SIZE_MAX)
        return false;
    at += at < s->text.size && s->text.data[at] == ':';
    if (!xpd_oom_size_at(s->text, at, &first))
        return false;
    size_t next = xpd_oom_after(s->text, first.end, "Hbm usage");
    if (next == SIZE_MAX)
        return false;
    next += next < s->text.size && s->text.data[next] == ':';
    if (!xpd_oom_size_at(s->text, next, &second))
        return false;
    bool overflow = false;
    s->out->form = "tpu_tc_sc_hbm";
    s->out->space = XPD_STR("hbm");
    s->out->color = 0;
    xpd_oom_mark(s, first.at, first.end - first.at, "needed");
    xpd_oom_mark(s, second.at, second.end - second.at, "needed");
    first.bytes = xpd_add_i64(first.bytes, second.bytes, &overflow);
    first.slack_bytes = xpd_add_i64(first.slack_bytes, second.slack_bytes, &overflow);
    set_needed(s, &first);
    if (xpd_oom_size_after(s, second.end, "available bytes:", "capacity", &capacity))
        set_capacity(s, &capacity);
    return true;
}

/* Attempting to reserve X at the bottom of memory. That was not possible. There are Y free, ... */
static bool read_runtime(struct xpd_oom_scan *s)
{
    struct xpd_oom_size needed, capacity;
    if (!xpd_oom_size_after(s, 0, "Attempting to reserve ", "needed", &needed) &&
        !xpd_oom_size_after(s, 0, "Attempting to allocate ", "needed", &needed))
        return false;
    s->out->form = "tpu_runtime";
    s->out->space = XPD_STR("hbm");
    s->out->color = 0;
    set_needed(s, &needed);
    if (xpd_oom_size_after(s, 0, "HBM capacity ", "capacity", &capacity))
        set_capacity(s, &capacity);
    return true;
}

/* The GPU form has bytes only. */
static bool read_gpu(struct xpd_oom_scan *s)
{
    static const char *const before[] = {"Out of memory while trying to allocate ",
                                         "Out of memory allocating ",
                                         "Failed to allocate request for "};
    struct xpd_oom_size needed;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t parts = s->part.count, at;
        if (!xpd_oom_size_after(s, 0, before[i], "needed", &needed))
            continue;
        /* "256.00MiB (268435456B)": the exact number follows */
        struct xpd_oom_size exact;
        at = needed.end;
        if (needed.slack_bytes > 0 && xpd_oom_after(s->text, at, " (") == at + 2 &&
            xpd_oom_size_at(s->text, at + 2, &exact) && exact.slack_bytes == 0) {
            needed = exact;
            s->part.count = parts;
            xpd_oom_mark(s, exact.at, exact.end - exact.at, "needed");
        }
        s->out->form = "gpu";
        s->out->color = 0;
        set_needed(s, &needed);
        add_item(s, &needed);
        return true;
    }
    return false;
}

static int by_offset(const void *x, const void *y)
{
    const struct xpd_oom_part *a = x, *b = y;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Marks in order of the text, without those that overlap an earlier one. */
static int keep(struct xpd_oom_scan *s, struct xpd_arena *arena)
{
    struct xpd_oom_text *out = s->out;
    out->part = XPD_NEW_ARRAY(arena, struct xpd_oom_part, s->part.count);
    out->item = XPD_NEW_ARRAY(arena, struct xpd_oom_item, s->item.count);
    if (!out->part || !out->item || s->part.failed || s->item.failed)
        return XPD_ENOMEM;
    if (s->part.count > 1)
        qsort(s->part.at, s->part.count, sizeof *s->part.at, by_offset);
    uint32_t end = 0;
    for (size_t i = 0; i < s->part.count; i++) {
        if (s->part.at[i].offset < end || s->part.at[i].offset >= s->text.size)
            continue;
        out->part[out->part_count++] = s->part.at[i];
        end = s->part.at[i].offset + s->part.at[i].size;
    }
    for (size_t i = 0; i < s->item.count; i++)
        out->item[out->item_count++] = s->item.at[i];
    return XPD_OK;
}

int xpd_oom_read(struct xpd_oom_text *out, struct xpd_str text, struct xpd_arena *arena,
                 struct xpd_err *err)
{
    struct xpd_oom_scan s = {.out = out};
    int code = XPD_OK;
    *out = (struct xpd_oom_text){.form = "",
                                 .module = XPD_STR(""),
                                 .space = XPD_STR(""),
                                 .color = -1,
                                 .needed_bytes = -1,
                                 .capacity_bytes = -1,
                                 .exceeded_bytes = -1};
    if (text.size > TEXT_MAX)
        text.size = TEXT_MAX;
    s.text = text;
    out->understood =
        text.size > 0 && (read_allocation(&s) || read_scoped(&s) || read_used(&s) ||
                          read_e1000(&s) || read_cores(&s) || read_runtime(&s) || read_gpu(&s));
    if (out->understood) {
        read_module(&s);
        code = keep(&s, arena);
    }
    XPD_VEC_FINI(&s.part);
    XPD_VEC_FINI(&s.item);
    if (code != XPD_OK)
        return xpd_fail(err, code, NULL, XPD_NO_OFFSET,
                        "There is not enough memory to read the error text.");
    return XPD_OK;
}
