/* One sentence about the peak: which equal buffers hold most of it, where they come from, what
 * would help.
 *
 * In: what is held at the peak, its largest group (memory/peak_group.h). Out: numbers and words,
 * and advice only where the effect is known exactly. */
#include "largest.h"
#include "../common/common.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/tiling.h"
#include "xprofd/memory/peak_group.h"

#define BUFFERS_MAX 64

XPD_RECORD_TABLE(xpd_sentence_part, XPD_SENTENCE_PART_FIELDS)
XPD_RECORD_TABLE(xpd_largest, XPD_LARGEST_FIELDS)

#define PIECES_MAX 10

struct sentence { /* in the making */
    struct xpd_arena *arena;
    struct xpd_sentence_part *part; /* room for PIECES_MAX */
    uint32_t count;
};

static void piece(struct sentence *to, const char *kind, struct xpd_str text)
{
    to->part[to->count++] = (struct xpd_sentence_part){xpd_arena_str(to->arena, text), kind};
}

static const char *class_words(enum xpd_mem_class mem_class, bool many)
{
    switch (mem_class) {
    case XPD_CLASS_PARAMETER: return many ? "arguments" : "an argument";
    case XPD_CLASS_OUTPUT: return many ? "outputs" : "an output";
    case XPD_CLASS_CONSTANT: return many ? "constants" : "a constant";
    default: return many ? "temporaries" : "a temporary";
    }
}

#define LEAF_KINDS 3

struct leaves { /* arrays that a tuple points at, by shape */
    struct xpd_names shapes;
    struct leaf {
        uint32_t shape, count;
        int64_t bytes;
    } at[256]; /* kinds beyond count as others */
    uint32_t kinds, count;
};

static void add_leaves(struct leaves *leaves, const struct xpd_shape *shape)
{
    for (uint32_t i = 0; i < shape->element_count; i++)
        add_leaves(leaves, &shape->element[i]);
    if (shape->element_count > 0 || shape->type == XPD_TYPE_TUPLE)
        return;
    bool overflow = false;
    uint32_t name = xpd_names_shape(&leaves->shapes, shape), k = 0;
    leaves->count++;
    while (k < leaves->kinds && leaves->at[k].shape != name)
        k++;
    if (k == sizeof leaves->at / sizeof *leaves->at)
        return;
    leaves->kinds += k == leaves->kinds;
    leaves->at[k].shape = name;
    leaves->at[k].count++;
    xpd_grow_i64(&leaves->at[k].bytes, xpd_shape_unpadded_bytes(shape, &overflow));
}

static int most_bytes(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->shape < y->shape ? -1 : x->shape > y->shape;
}

/* A tuple holds pointers: the arrays they point at say more than a type as long as the program has
 * arguments. "tuple of 2,000 arrays (1,200 × f32[64], 800 × f32[64,64])" */
static void put_shape(struct xpd_strbuf *out, const struct xpd_shape *shape,
                      struct xpd_arena *arena)
{
    char text[32];
    struct leaves *leaves = shape->element_count ? XPD_NEW(arena, struct leaves) : NULL;
    if (!leaves || shape->type != XPD_TYPE_TUPLE) {
        xpd_shape_text(out, shape, false);
        return;
    }
    xpd_names_init(&leaves->shapes, arena);
    add_leaves(leaves, shape);
    if (leaves->kinds > 1)
        qsort(leaves->at, leaves->kinds, sizeof *leaves->at, most_bytes);
    xpd_number_text(text, leaves->count);
    xpd_strbuf_printf(out, "tuple of %s array%s (", text, leaves->count == 1 ? "" : "s");
    uint32_t told = 0;
    for (uint32_t i = 0; i < leaves->kinds && i < LEAF_KINDS; i++) {
        struct xpd_str name = leaves->shapes.table.text[leaves->at[i].shape];
        xpd_number_text(text, leaves->at[i].count);
        xpd_strbuf_printf(out, "%s%s \xc3\x97 %.*s", i ? ", " : "", text, (int)name.size,
                          name.data);
        told += leaves->at[i].count;
    }
    xpd_number_text(text, leaves->count - told);
    if (told < leaves->count)
        xpd_strbuf_printf(out, ", %s other%s", text, leaves->count - told == 1 ? "" : "s");
    xpd_strbuf_putc(out, ')');
    xpd_names_fini(&leaves->shapes);
}

static void put_sentence(struct sentence *to, const struct xpd_tool_ctx *ctx,
                         const struct xpd_held *row, const struct xpd_peak_group *group,
                         struct xpd_strbuf *text, const struct xpd_source_info *source)
{
    int64_t peak = ctx->space->peak_bytes;
    char size[48], share[48];
    bool many = group->count > 1;
    xpd_strbuf_clear(text);
    if (many)
        xpd_strbuf_printf(text, "%" PRIu32 " \xc3\x97 ", group->count);
    if (row->buffer != XPD_NO_INDEX)
        put_shape(text, ctx->mem->buffer[row->buffer].shape, ctx->arena);
    piece(to, "code", (struct xpd_str){text->data, text->size});
    piece(to, "text", xpd_str_of(many ? " hold " : " holds "));
    xpd_bytes_text(size, group->bytes, peak);
    piece(to, "number", xpd_str_of(size));
    double percent = peak > 0 ? 100.0 * (double)group->bytes / (double)peak : 0.0;
    snprintf(share, sizeof share, " (%.0f %% of the peak), ", percent);
    piece(to, "text", xpd_str_of(share));
    piece(to, "text", xpd_str_of(class_words(row->mem_class, many)));
    if (source->op_name.size > 0) {
        piece(to, "text", xpd_str_of(row->mem_class == XPD_CLASS_PARAMETER ? " " : " of "));
        piece(to, "code", source->op_name);
    }
    if (source->file.size > 0) {
        struct xpd_str base = xpd_source_base_name(source->file);
        xpd_strbuf_clear(text);
        xpd_strbuf_add(text, base.data, base.size);
        if (source->line > 0)
            xpd_strbuf_printf(text, ":%" PRId32, source->line);
        piece(to, "text", xpd_str_of(", "));
        piece(to, "source", (struct xpd_str){text->data, text->size});
    }
}

static bool advise_padding(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                           const struct xpd_held *row, const struct xpd_peak_group *group)
{
    struct xpd_tiling tiling;
    if (row->buffer == XPD_NO_INDEX || group->padding_bytes < group->bytes / 4)
        return false;
    xpd_tiling_of(&tiling, ctx->mem->buffer[row->buffer].shape);
    const struct xpd_tiled_dim *worst = NULL;
    for (uint32_t i = 0; tiling.known && i < tiling.dim_count; i++)
        if (tiling.dim[i].padded_size > tiling.dim[i].size &&
            (!worst || tiling.dim[i].cost_bytes > worst->cost_bytes))
            worst = &tiling.dim[i];
    double share = 100.0 * (double)group->padding_bytes / (double)group->bytes;
    xpd_strbuf_printf(out, "%.0f %% is padding", share);
    if (worst)
        xpd_strbuf_printf(out,
                          ": dimension %" PRIu32 " of size %" PRId64 " is stored as %" PRId64
                          "; make it a multiple of %" PRId64 ", or put a longer dimension there",
                          worst->dimension, worst->size, worst->padded_size, worst->tile);
    xpd_strbuf_putc(out, '.');
    return true;
}

static void advise(struct xpd_strbuf *out, const struct xpd_tool_ctx *ctx,
                   const struct xpd_held_list *peak, const struct xpd_peak_group *group)
{
    xpd_strbuf_clear(out);
    if (advise_padding(out, ctx, &peak->at[group->row[0]], group))
        return;
    int64_t halved = xpd_peak_group_halved(group, ctx->mem, ctx->space, peak, ctx->arena);
    if (halved < 0 || halved >= ctx->space->peak_bytes)
        return;
    char size[48];
    xpd_bytes_text(size, halved, ctx->space->peak_bytes);
    xpd_strbuf_printf(out, "In bf16 the peak would be %s.", size);
}

static void fill_members(struct xpd_largest *out, struct xpd_arena *arena,
                         const struct xpd_held_list *peak, const struct xpd_peak_group *group)
{
    uint32_t *buffer = XPD_NEW_ARRAY(arena, uint32_t, BUFFERS_MAX), n = 0;
    for (uint32_t i = 0; buffer && i < group->count && n < BUFFERS_MAX; i++)
        if (peak->at[group->row[i]].buffer != XPD_NO_INDEX)
            buffer[n++] = peak->at[group->row[i]].buffer;
    out->buffers.at = buffer;
    out->buffers.n = n;
}

static void fill(struct xpd_largest *out, struct sentence *sentence, const struct xpd_tool_ctx *ctx,
                 const struct xpd_held_list *peak, const struct xpd_peak_group *group)
{
    const struct xpd_held *row = &peak->at[group->row[0]];
    uint32_t instruction = xpd_mem_instruction(ctx->mem, row->buffer);
    int64_t peak_bytes = ctx->space->peak_bytes;
    struct xpd_source_info source = {0};
    struct xpd_strbuf text = {0};
    if (instruction != XPD_NO_INDEX)
        xpd_source_of(ctx->hlo, instruction, &source);
    if (row->buffer != XPD_NO_INDEX)
        xpd_shape_text(&text, ctx->mem->buffer[row->buffer].shape, false);
    *out = (struct xpd_largest){
        .count = group->count,
        .size_bytes = group->bytes,
        .share = peak_bytes > 0 ? (double)group->bytes / (double)peak_bytes : 0.0,
        .each_bytes = group->all_equal ? row->size_bytes : -1,
        .shape = xpd_strbuf_keep(&text, sentence->arena),
        .class = xpd_mem_class_word(row->mem_class),
        .group = xpd_hlo_group_word(ctx->hlo, instruction),
        .op_name = xpd_tools_or_null(source.op_name),
        .file = xpd_tools_or_null(source.file),
        .line = source.line > 0 ? source.line : -1,
        .padding_bytes = group->padding_bytes,
    };
    fill_members(out, sentence->arena, peak, group);
    put_sentence(sentence, ctx, row, group, &text, &source);
    out->sentence.at = sentence->part;
    out->sentence.n = sentence->count;
    advise(&text, ctx, peak, group);
    out->advice = xpd_tools_or_null(xpd_strbuf_keep(&text, sentence->arena));
    sentence->arena->failed |= text.failed;
    xpd_strbuf_fini(&text);
}

int xpd_largest_of(const struct xpd_largest **out, struct xpd_arena *arena,
                   const struct xpd_tool_ctx *ctx, const struct xpd_held_list *peak,
                   struct xpd_err *err)
{
    struct xpd_peak_group group;
    *out = NULL;
    if (!xpd_peak_group_of(&group, ctx->mem, peak, ctx->arena))
        return xpd_tools_no_memory(err);
    if (group.count == 0)
        return XPD_OK;
    struct xpd_largest *made = XPD_NEW(arena, struct xpd_largest);
    struct sentence sentence = {arena, XPD_NEW_ARRAY(arena, struct xpd_sentence_part, PIECES_MAX),
                                0};
    if (!made || !sentence.part)
        return xpd_tools_no_memory(err);
    fill(made, &sentence, ctx, peak, &group);
    *out = made;
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}
