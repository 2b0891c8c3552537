/* Where a buffer comes from in the user's program, and where else it can be looked at. */
#include "card_parts.h"

#include "../common/rail.h"

XPD_RECORD_TABLE(xpd_buffer_frame, XPD_BUFFER_FRAME_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_source, XPD_BUFFER_SOURCE_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_links, XPD_BUFFER_LINKS_FIELDS)

static void percent_encode(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            (c != '\0' && strchr("-._~/", c)))
            xpd_strbuf_putc(out, (char)c);
        else
            xpd_strbuf_printf(out, "%%%02X", c);
    }
}

/* --source-url: {path} (or {file}) and {line} are filled in. */
static struct xpd_str url_of(struct xpd_card *card, const struct xpd_source_info *info)
{
    const char *at = card->ctx->source_url;
    if (!at || info->file.size == 0)
        return (struct xpd_str){0};
    while (*at) {
        if (strncmp(at, "{path}", 6) == 0 || strncmp(at, "{file}", 6) == 0) {
            percent_encode(&card->text, info->file);
            at += 6;
        } else if (strncmp(at, "{line}", 6) == 0) {
            xpd_strbuf_i64(&card->text, info->line);
            at += 6;
        } else {
            xpd_strbuf_putc(&card->text, *at++);
        }
    }
    return xpd_card_text(card);
}

/* Frames that the list leaves out; -1 when the stack runs in a circle and has no end. */
static int64_t frames_after(const struct xpd_hlo *hlo, const struct xpd_source_info *info)
{
    int64_t left = 0;
    if (!info->frames_cut || info->frame_count == 0)
        return 0;
    uint32_t frame = hlo->frame[info->frame[info->frame_count - 1] - 1].parent;
    for (; frame != 0 && frame <= hlo->frame_count; frame = hlo->frame[frame - 1].parent)
        if (left++ > hlo->frame_count)
            return -1;
    return left;
}

static void fill_frames(struct xpd_buffer_source *out, const struct xpd_card *card,
                        const struct xpd_source_info *info)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    struct xpd_buffer_frame *row =
        XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_frame, info->frame_count);
    for (uint32_t i = 0; row && i < info->frame_count; i++) {
        const struct xpd_hlo_frame *frame = &hlo->frame[info->frame[i] - 1];
        row[i] = (struct xpd_buffer_frame){xpd_hlo_text(hlo, frame->file), frame->line,
                                           frame->column, xpd_hlo_text(hlo, frame->function)};
    }
    out->frames.at = row;
    out->frames.n = row ? info->frame_count : 0;
    out->frames_cut = frames_after(hlo, info);
}

static const struct xpd_buffer_source *source_of(struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    uint32_t instruction = card->buffer->instruction;
    struct xpd_source_info info = {.from = XPD_NO_INDEX};
    struct xpd_buffer_source *out = XPD_NEW(card->ctx->arena, struct xpd_buffer_source);
    if (!out)
        return NULL;
    if (instruction != XPD_NO_INDEX)
        xpd_source_of(hlo, instruction, &info);
    out->file = xpd_tools_or_null(info.file);
    out->line = info.line > 0 ? info.line : -1;
    out->op_name = xpd_tools_or_null(info.op_name);
    if (instruction != XPD_NO_INDEX && info.from != instruction)
        out->from = xpd_tools_or_null(xpd_tools_instruction_name(hlo, info.from));
    fill_frames(out, card, &info);
    out->url = url_of(card, &info);
    return out;
}

void xpd_card_source(struct xpd_card *card)
{
    struct xpd_str name =
        xpd_tools_or_null(xpd_tools_instruction_name(card->ctx->hlo, card->buffer->instruction));
    struct xpd_buffer_links *links = XPD_NEW(card->ctx->arena, struct xpd_buffer_links);
    card->out->source = source_of(card);
    card->out->links = links;
    if (!links)
        return;
    links->graph = name;
    links->trace_reason = xpd_rail_trace_reason(card->ctx->run);
    if (!links->trace_reason)
        links->trace = name;
}
