/* /api/v1/memory/buffer: the card of one buffer: what it is, what it costs, when it lives, where it
 * comes from. */
#include "../program/graph_rows.h"
#include "../tables/table_holders.h"
#include "card_parts.h"

static void write_identity(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    const struct xpd_hlo_buffers *buffers = &hlo->buffers;
    uint32_t instruction = card->buffer->instruction;
    xpd_json_ku64(w, "buffer", card->index);
    xpd_json_ki64(w, "id", buffers->id[card->index]);
    xpd_json_ki64(w, "space", card->space->color);
    xpd_tools_buffer_name(&card->text, card->ctx->mem, card->index);
    xpd_card_text(w, "name", card);
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(hlo, instruction));
    if (instruction == XPD_NO_INDEX)
        xpd_json_knull(w, "instruction_id");
    else
        xpd_json_ki64(w, "instruction_id", hlo->instructions.id[instruction]);
    xpd_tools_kstr(w, "opcode", xpd_tools_opcode(hlo, instruction));
    uint32_t first = buffers->index_first[card->index];
    xpd_json_col_i64(w, "shape_index", buffers->shape_index + first,
                     buffers->index_first[card->index + 1] - first);
}

/* The input-output alias of a parameter's part, or NULL. */
static const struct xpd_hlo_alias *alias_of(const struct xpd_hlo *hlo,
                                            const struct xpd_hlo_allocation *from)
{
    for (uint32_t i = 0; i < hlo->alias_count; i++) {
        const struct xpd_hlo_alias *alias = &hlo->alias[i];
        if (alias->parameter_number == from->parameter_number &&
            alias->parameter_index_count == from->parameter_index_count &&
            (alias->parameter_index_count == 0 ||
             memcmp(alias->parameter_index, from->parameter_index,
                    alias->parameter_index_count * sizeof *alias->parameter_index) == 0))
            return alias;
    }
    return NULL;
}

static bool is_donated(const struct xpd_hlo *hlo, const struct xpd_hlo_allocation *from)
{
    for (uint32_t i = 0; i < hlo->donor_count; i++) {
        const struct xpd_hlo_donor *donor = &hlo->donor[i];
        if (donor->parameter_number == from->parameter_number &&
            donor->parameter_index_count == from->parameter_index_count &&
            (donor->parameter_index_count == 0 ||
             memcmp(donor->parameter_index, from->parameter_index,
                    donor->parameter_index_count * sizeof *donor->parameter_index) == 0))
            return true;
    }
    return false;
}

static struct xpd_str parameter_name(const struct xpd_hlo *hlo, int64_t number)
{
    xpd_name_id opcode = xpd_intern_find(&hlo->names, XPD_STR("parameter"));
    if (opcode == XPD_NO_NAME || hlo->entry == XPD_NO_INDEX)
        return XPD_STR("");
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = hlo->computations.first[hlo->entry];
    uint32_t end = first + hlo->computations.instruction_count[hlo->entry];
    for (uint32_t i = first; i < end; i++)
        if (all->opcode[i] == opcode && all->parameter_number[i] == number)
            return xpd_hlo_text(hlo, all->op_name[i] ? all->op_name[i] : all->name[i]);
    return XPD_STR("");
}

static void write_class(struct xpd_jsonw *w, const struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    const struct xpd_hlo_allocation *from = card->buffer->allocation == XPD_NO_INDEX
                                                ? NULL
                                                : &hlo->allocation[card->buffer->allocation];
    bool parameter = from && (from->flags & XPD_ALLOC_PARAMETER);
    const struct xpd_hlo_alias *alias = parameter ? alias_of(hlo, from) : NULL;
    xpd_json_ktext(w, "class", xpd_mem_class_word((enum xpd_mem_class)card->buffer->mem_class));
    if (parameter) {
        xpd_json_ki64(w, "parameter_number", from->parameter_number);
        xpd_tools_kstr(w, "parameter_name", parameter_name(hlo, from->parameter_number));
    } else {
        xpd_json_knull(w, "parameter_number");
        xpd_json_knull(w, "parameter_name");
    }
    if (alias)
        xpd_json_col_i64(w, "aliased_output", alias->output_index, alias->output_index_count);
    else
        xpd_json_knull(w, "aliased_output");
    if (parameter)
        xpd_json_kbool(w, "donated", alias || is_donated(hlo, from));
    else
        xpd_json_knull(w, "donated");
    xpd_json_kbool(w, "alias",
                   parameter && (from->flags & (XPD_ALLOC_LIVE_OUT | XPD_ALLOC_PARAMETER_ALIASED)));
    xpd_json_ktext(w, "group", xpd_tools_group(hlo, card->buffer->instruction));
}

static void write_allocation(struct xpd_jsonw *w, const struct xpd_card *card)
{
    if (card->buffer->allocation == XPD_NO_INDEX) {
        xpd_json_knull(w, "allocation");
        return;
    }
    const struct xpd_hlo_allocation *from = &card->ctx->hlo->allocation[card->buffer->allocation];
    xpd_json_key(w, "allocation");
    xpd_json_obj(w);
    xpd_json_ki64(w, "index", from->index);
    xpd_json_ki64(w, "size_bytes", from->size_bytes);
    xpd_json_ku64(w, "members", from->assigned_count);
    xpd_json_obj_end(w);
}

static void write_xprof(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_mem_buffer *buffer = card->buffer;
    if (buffer->xprof_unpadded_bytes == buffer->unpadded_bytes &&
        buffer->xprof_shape == buffer->shape) {
        xpd_json_knull(w, "xprof");
        return;
    }
    xpd_json_key(w, "xprof");
    xpd_json_obj(w);
    xpd_json_ki64(w, "unpadded_bytes", buffer->xprof_unpadded_bytes);
    if (buffer->xprof_shape)
        xpd_shape_text(&card->text, buffer->xprof_shape, true);
    xpd_card_text(w, "shape", card);
    xpd_json_obj_end(w);
}

static void write_sizes(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_mem_buffer *buffer = card->buffer;
    bool placed = buffer->allocation != XPD_NO_INDEX;
    int64_t offset = card->tenancy < card->space->tenancy_count
                         ? card->space->tenancy[card->tenancy].offset_bytes
                         : buffer->offset_bytes;
    xpd_json_ki64(w, "size_bytes", buffer->size_bytes);
    xpd_json_ki64(w, "unpadded_bytes", buffer->unpadded_bytes);
    xpd_json_ki64(w, "padding_bytes", buffer->size_bytes - buffer->unpadded_bytes);
    if (buffer->unpadded_bytes > 0)
        xpd_json_kdouble(w, "expansion",
                         (double)buffer->size_bytes / (double)buffer->unpadded_bytes);
    else
        xpd_json_knull(w, "expansion");
    xpd_tools_kknown(w, "assigned_bytes", placed ? buffer->assigned_bytes : -1);
    xpd_tools_kknown(w, "offset_bytes", placed ? offset : -1);
    write_allocation(w, card);
    write_xprof(w, card);
}

static int write_card(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err)
{
    xpd_json_obj(w);
    write_identity(w, card);
    xpd_card_shape(w, card);
    write_class(w, card);
    write_sizes(w, card);
    int rc = xpd_card_saving(w, card, err);
    if (rc != XPD_OK)
        return rc;
    xpd_card_padding(w, card);
    rc = xpd_card_life(w, card, err);
    if (rc != XPD_OK)
        return rc;
    xpd_card_source(w, card);
    xpd_json_obj_end(w);
    return card->text.failed ? xpd_tools_no_memory(err) : XPD_OK;
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

static int buffer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_card card = {.ctx = ctx};
    int rc = xpd_param_has(ctx, "instruction") ? of_instruction(ctx, &card.index, err)
                                               : xpd_tools_buffer(ctx, &card.index, err);
    if (rc != XPD_OK)
        return rc;
    card.buffer = &ctx->mem->buffer[card.index];
    card.space = xpd_mem_space_of(ctx->mem, xpd_tools_color_of(ctx->mem, card.index));
    if (!card.space)
        card.space = ctx->space;
    card.tenancy = card.buffer->first_tenancy;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    rc = write_card(&w, &card, err);
    xpd_strbuf_fini(&card.text);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffer",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "index; this or id is needed"},
    {.name = "id",
     .type = XPD_PARAM_INT,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "the compiler's buffer id"},
    {.name = "instruction",
     .type = XPD_PARAM_TEXT,
     .help = "instead: the buffer that the result of this instruction lies in, by name or id"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_buffer = {
    .route = "/api/v1/memory/buffer",
    .title = "The details of one buffer.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = buffer,
};
