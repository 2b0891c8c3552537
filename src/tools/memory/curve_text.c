/* See curve_text.h. In: spaces. Out: lines of text. */
#include "curve_text.h"
#include "xprofd/memory/query.h"

#define ROWS 2
#define ROOM 9 /* columns for the name on the left */

struct alphabet {
    const char *const *level; /* from empty to full */
    int levels;               /* of one row, without empty */
    const char *edge, *mark;
};
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const signs[] = {" ", ".", ":", "#"};

/* Highest level of each column, in steps of a row's levels; returns the columns. */
static uint32_t heights(const struct xpd_mem_space *space, int64_t top, int levels, int *height,
                        uint32_t *peak_column)
{
    struct xpd_curve_column column[XPD_CURVE_COLUMNS];
    uint32_t n =
        xpd_curve(space, (struct xpd_step_window){0, space->step_count}, XPD_CURVE_COLUMNS, column);
    int64_t resident = space->peak_bytes - space->peak_live_bytes;
    *peak_column = 0;
    for (uint32_t c = 0; c < XPD_CURVE_COLUMNS; c++) {
        const struct xpd_curve_column *at = &column[(uint64_t)c * n / XPD_CURVE_COLUMNS];
        double share = (double)(at->max_live + resident) / (double)top;
        int level = (int)(share * (ROWS * levels) + 0.5);
        height[c] = level > ROWS * levels ? ROWS * levels : level < 0 ? 0 : level;
        if (height[c] == 0 && share > 0)
            height[c] = 1; /* what is there is seen */
        if (space->peak_step >= at->first_step &&
            space->peak_step < at->first_step + at->step_count && *peak_column == 0)
            *peak_column = c;
    }
    return n;
}

static void put_row(struct xpd_strbuf *out, const struct alphabet *a, const int *height, int row,
                    const char *name)
{
    xpd_strbuf_printf(out, "%-*s%s", ROOM, name, a->edge);
    for (int c = 0; c < XPD_CURVE_COLUMNS; c++) {
        int level = height[c] - (ROWS - 1 - row) * a->levels;
        xpd_strbuf_puts(out, a->level[level < 0 ? 0 : level > a->levels ? a->levels : level]);
    }
    xpd_strbuf_puts(out, a->edge);
}

static void put_curve(struct xpd_strbuf *out, const struct alphabet *a,
                      const struct xpd_mem_space *space, const char *name, int64_t top,
                      const char *scale, bool in_gib)
{
    int height[XPD_CURVE_COLUMNS];
    uint32_t peak;
    char text[48];
    if (heights(space, top, a->levels, height, &peak) == 0)
        return;
    put_row(out, a, height, 0, "");
    xpd_strbuf_printf(out, " %s\n", scale);
    put_row(out, a, height, 1, name);
    xpd_tools_bytes_text(text, space->peak_bytes, in_gib);
    xpd_strbuf_printf(out, " peak %s\n%*s%s step %" PRIu32 "\n", text, ROOM + 1 + (int)peak, "",
                      a->mark, space->peak_step);
}

void xpd_curves_text(struct xpd_strbuf *out, const struct xpd_mem_space *const space[2],
                     const char *const name[2], bool in_gib, bool ascii)
{
    static const struct alphabet pretty = {blocks, 8, "│", "▲"}, plain = {signs, 3, "|", "^"};
    const struct alphabet *a = ascii ? &plain : &pretty;
    int64_t top =
        space[0]->peak_bytes > space[1]->peak_bytes ? space[0]->peak_bytes : space[1]->peak_bytes;
    char scale[48];
    if (top <= 0 || space[0]->peak_step == XPD_NO_STEP || space[1]->peak_step == XPD_NO_STEP)
        return;
    xpd_tools_bytes_text(scale, top, in_gib);
    for (int s = 0; s < 2; s++)
        put_curve(out, a, space[s], name[s], top, s == 0 ? scale : "", in_gib);
}
