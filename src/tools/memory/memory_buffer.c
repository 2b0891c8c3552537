/* /api/v1/memory/buffer: the card of one buffer: what it is, what it costs, when it lives, where it
 * comes from. */
#include "../program/graph_rows.h"
#include "../tables/table_holders.h"
#include "card_parts.h"

XPD_RECORD_TABLE(xpd_buffer_allocation, XPD_BUFFER_ALLOCATION_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_xprof, XPD_BUFFER_XPROF_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_answer, XPD_BUFFER_FIELDS)

static void fill_identity(struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    const struct xpd_hlo_buffers *buffers = &hlo->buffers;
    struct xpd_buffer_answer *out = card->out;
    uint32_t instruction = card->buffer->instruction;
    uint32_t first = buffers->index_first[card->index];
    out->buffer = card->index;
    out->id = buffers->id[card->index];
    out->space = card->space->color;
    xpd_mem_buffer_name(&card->text, card->ctx->mem, card->index);
    out->name = xpd_card_text(card);
    out->instruction = xpd_tools_or_null(xpd_hlo_instruction_name(hlo, instruction));
    out->instruction_id =
        instruction == XPD_NO_INDEX ? XPD_UNKNOWN : hlo->instructions.id[instruction];
    out->opcode = xpd_tools_or_null(xpd_hlo_opcode(hlo, instruction));
    out->shape_index.at = buffers->shape_index + first;
    out->shape_index.n = buffers->index_first[card->index + 1] - first;
}

/* The input-output alias of a parameter's part, or NULL. */
static void fill_class(struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    struct xpd_buffer_answer *out = card->out;
    const struct xpd_hlo_allocation *from = card->buffer->allocation == XPD_NO_INDEX
                                                ? NULL
                                                : &hlo->allocation[card->buffer->allocation];
    bool parameter = from && (from->flags & XPD_ALLOC_PARAMETER);
    const struct xpd_hlo_alias *alias = parameter ? xpd_hlo_alias_of(hlo, from) : NULL;
    out->class = xpd_mem_class_word((enum xpd_mem_class)card->buffer->mem_class);
    out->group = xpd_hlo_group_word(hlo, card->buffer->instruction);
    out->parameter_number = XPD_UNKNOWN;
    out->donated = -1;
    if (!parameter)
        return;
    out->parameter_number = from->parameter_number;
    out->parameter_name = xpd_tools_or_null(xpd_hlo_parameter_name(hlo, from->parameter_number));
    out->donated = alias || xpd_hlo_is_donated(hlo, from);
    out->alias = from->flags & (XPD_ALLOC_LIVE_OUT | XPD_ALLOC_PARAMETER_ALIASED);
    if (!alias)
        return;
    static const int64_t whole[1] = {0}; /* an index of no numbers is one, not null */
    out->aliased_output.at = alias->output_index_count ? alias->output_index : whole;
    out->aliased_output.n = alias->output_index_count;
}

static const struct xpd_buffer_allocation *allocation_of(const struct xpd_card *card)
{
    if (card->buffer->allocation == XPD_NO_INDEX)
        return NULL;
    const struct xpd_hlo_allocation *from = &card->ctx->hlo->allocation[card->buffer->allocation];
    struct xpd_buffer_allocation *out = XPD_NEW(card->ctx->arena, struct xpd_buffer_allocation);
    if (out)
        *out = (struct xpd_buffer_allocation){from->index, from->size_bytes, from->assigned_count};
    return out;
}

static const struct xpd_buffer_xprof *xprof_of(struct xpd_card *card)
{
    const struct xpd_mem_buffer *buffer = card->buffer;
    if (buffer->xprof_unpadded_bytes == buffer->unpadded_bytes &&
        buffer->xprof_shape == buffer->shape)
        return NULL;
    struct xpd_buffer_xprof *out = XPD_NEW(card->ctx->arena, struct xpd_buffer_xprof);
    if (buffer->xprof_shape)
        xpd_shape_text(&card->text, buffer->xprof_shape, true);
    struct xpd_str shape = xpd_card_text(card);
    if (out)
        *out = (struct xpd_buffer_xprof){buffer->xprof_unpadded_bytes, shape};
    return out;
}

static void fill_sizes(struct xpd_card *card)
{
    const struct xpd_mem_buffer *buffer = card->buffer;
    struct xpd_buffer_answer *out = card->out;
    bool placed = buffer->allocation != XPD_NO_INDEX;
    int64_t offset = card->tenancy < card->space->tenancy_count
                         ? card->space->tenancy[card->tenancy].offset_bytes
                         : buffer->offset_bytes;
    out->size_bytes = buffer->size_bytes;
    out->unpadded_bytes = buffer->unpadded_bytes;
    out->padding_bytes = buffer->size_bytes - buffer->unpadded_bytes;
    out->expansion = buffer->unpadded_bytes > 0
                         ? (double)buffer->size_bytes / (double)buffer->unpadded_bytes
                         : -1;
    out->assigned_bytes = placed ? buffer->assigned_bytes : -1;
    out->offset_bytes = placed ? offset : -1;
    out->allocation = allocation_of(card);
    out->xprof = xprof_of(card);
}

static int fill_card(struct xpd_card *card, struct xpd_err *err)
{
    fill_identity(card);
    xpd_card_shape(card);
    fill_class(card);
    fill_sizes(card);
    int rc = xpd_card_saving(card, err);
    if (rc != XPD_OK)
        return rc;
    xpd_card_padding(card);
    rc = xpd_card_life(card, err);
    if (rc == XPD_OK)
        xpd_card_source(card);
    return rc;
}

/* The largest buffer that an instruction defines, or the one that its result lies in. */
static int of_instruction(const struct xpd_tool_ctx *ctx, uint32_t *index, struct xpd_err *err)
{
    struct xpd_str text = xpd_param_text(ctx, "instruction");
    uint32_t instruction = xpd_graph_instruction(ctx->hlo, text);
    int shown = (int)(text.size < 200 ? text.size : 200);
    if (instruction == XPD_NO_INDEX)
        return xpd_fail(err, XPD_ENOTFOUND, "instruction", XPD_NO_OFFSET,
                        "the module has no instruction %.*s", shown, text.data);
    const struct xpd_holders *holders = xpd_table_holders(ctx, err);
    if (!holders)
        return xpd_table_status(holders, err);
    *index = holders->of_instruction[instruction];
    if (*index != XPD_NO_INDEX)
        return XPD_OK;
    return xpd_fail(
        err, XPD_ENOTFOUND, "instruction", XPD_NO_OFFSET,
        "no buffer holds the result of %.*s: it is inside a fusion, or its result has no bytes",
        shown, text.data);
}

static int buffer(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_card card = {.ctx = ctx, .out = XPD_NEW(ctx->arena, struct xpd_buffer_answer)};
    if (!card.out)
        return xpd_tools_no_memory(err);
    int rc = xpd_param_has(ctx, "instruction") ? of_instruction(ctx, &card.index, err)
                                               : xpd_tools_buffer(ctx, &card.index, err);
    if (rc != XPD_OK)
        return rc;
    card.buffer = &ctx->mem->buffer[card.index];
    card.space = xpd_mem_space_of(ctx->mem, xpd_mem_color_of(ctx->mem, card.index));
    if (!card.space)
        card.space = ctx->space;
    card.tenancy = card.buffer->first_tenancy;
    rc = fill_card(&card, err);
    xpd_strbuf_fini(&card.text);
    *answer = card.out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffer",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "index; this or `id` is required"},
    {.name = "id",
     .type = XPD_PARAM_INT,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "the compiler's buffer id"},
    {.name = "instruction",
     .type = XPD_PARAM_TEXT,
     .help = "the buffer of this instruction's result, by name or id, instead of `buffer` or `id`"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_buffer = {
    .route = "/api/v1/memory/buffer",
    .title = "The details of one buffer.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_buffer_answer_record,
    .make = buffer,
    XPD_IN_REPORT(
        "",
        {220, XPD_EACH_LARGEST, "buffer={buffer}",
         "the cards of the 200 largest buffers at the peak and of the first 2,000 of a program"},
        {310, XPD_EACH_BUFFER, "buffer={buffer}", NULL}),
};
