/* Where a buffer comes from in the user's program, and where else it can be looked at. */
#include "card_parts.h"

#include "../common/rail.h"

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
static void write_url(struct xpd_jsonw *w, struct xpd_card *card,
                      const struct xpd_source_info *info)
{
    const char *at = card->ctx->source_url;
    if (!at || info->file.size == 0) {
        xpd_json_knull(w, "url");
        return;
    }
    xpd_strbuf_clear(&card->text);
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
    xpd_card_text(w, "url", card);
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

static void write_frames(struct xpd_jsonw *w, const struct xpd_card *card,
                         const struct xpd_source_info *info)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    xpd_json_key(w, "frames");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < info->frame_count; i++) {
        const struct xpd_hlo_frame *frame = &hlo->frame[info->frame[i] - 1];
        xpd_json_obj(w);
        xpd_json_kstr(w, "file", xpd_hlo_text(hlo, frame->file));
        xpd_json_ki64(w, "line", frame->line);
        xpd_json_ki64(w, "column", frame->column);
        xpd_json_kstr(w, "function", xpd_hlo_text(hlo, frame->function));
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_tools_kknown(w, "frames_cut", frames_after(hlo, info));
}

static void write_links(struct xpd_jsonw *w, const struct xpd_card *card)
{
    struct xpd_str name = xpd_tools_instruction_name(card->ctx->hlo, card->buffer->instruction);
    const char *reason = xpd_rail_trace_reason(card->ctx->run);
    xpd_json_key(w, "links");
    xpd_json_obj(w);
    xpd_tools_kstr(w, "graph", name);
    if (reason)
        xpd_json_knull(w, "trace");
    else
        xpd_tools_kstr(w, "trace", name);
    xpd_json_ktext(w, "trace_reason", reason);
    xpd_json_obj_end(w);
}

void xpd_card_source(struct xpd_jsonw *w, struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    uint32_t instruction = card->buffer->instruction;
    struct xpd_source_info info = {.from = XPD_NO_INDEX};
    if (instruction != XPD_NO_INDEX)
        xpd_source_of(hlo, instruction, &info);
    xpd_json_key(w, "source");
    xpd_json_obj(w);
    xpd_tools_kstr(w, "file", info.file);
    xpd_tools_kknown(w, "line", info.line > 0 ? info.line : -1);
    xpd_tools_kstr(w, "op_name", info.op_name);
    /* named only when it is another instruction than the buffer's own */
    if (instruction != XPD_NO_INDEX && info.from != instruction)
        xpd_tools_kstr(w, "from", xpd_tools_instruction_name(hlo, info.from));
    else
        xpd_json_knull(w, "from");
    write_frames(w, card, &info);
    write_url(w, card, &info);
    xpd_json_obj_end(w);
    write_links(w, card);
}
