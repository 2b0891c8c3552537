/* The table of buffers between its steps: collect, filter, fold, group, sort, cut, write. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_BUFFER_TABLE_H
#define XPROFD_SRC_TOOLS_MEMORY_BUFFER_TABLE_H

#include "../common/common.h"
#include "xprofd/match/match.h"
#include "xprofd/memory/held.h"

enum xpd_buffer_key { /* the words of `sort`, in the order of the parameter's list */
                      XPD_SORT_SAVING,
                      XPD_SORT_SIZE,
                      XPD_SORT_PADDING,
                      XPD_SORT_NAME,
                      XPD_SORT_SHAPE,
                      XPD_SORT_START,
                      XPD_SORT_END,
                      XPD_SORT_LIFE,
                      XPD_SORT_OFFSET,
                      XPD_SORT_FIRST_USE,
                      XPD_SORT_LAST_USE,
                      XPD_SORT_CLASS,
                      XPD_SORT_DTYPE,
                      XPD_SORT_OPCODE,
                      XPD_SORT_SCOPE,
                      XPD_SORT_SOURCE,
                      XPD_SORT_ID
};
#define XPD_BUFFER_SORTS                                                                           \
    "saving size padding name shape start end life offset first_use last_use class dtype opcode "  \
    "scope source id"

struct xpd_buffer_row {
    uint32_t buffer; /* XPD_NO_INDEX = an allocation without a logical buffer */
    uint32_t held;   /* at a step: place in held[]; else XPD_NO_INDEX */
    enum xpd_mem_class mem_class;
    int64_t size_bytes, unpadded_bytes;
};

struct xpd_buffer_life {
    uint32_t start, end;  /* XPD_NO_STEP = in no heap trace */
    int64_t offset_bytes; /* heap address, -1 = none */
};

struct xpd_buffer_group {
    uint32_t name;  /* in the answer's names */
    uint32_t count; /* of rows */
    uint32_t place; /* of its first row, from 1; 0 = the one without a name */
    int64_t bytes, padding;
    int64_t saving; /* -1 = not computed */
};

struct xpd_all_rows;
struct xpd_savings;
struct xpd_uses_table;
struct xpd_buffer_table {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_buffer_row *row; /* as collected */
    const uint32_t *pick; /* places in row[] of those that matched and were not folded; NULL: all */
    uint32_t count;       /* of pick, or of row */
    const struct xpd_all_rows *all; /* the rows of the space, when row[] is all of them */
    const struct xpd_held *held;    /* at a step */
    const struct xpd_savings *saving;
    const struct xpd_uses_table *uses; /* NULL: each buffer's are walked */
    uint32_t total, matched, folded;
    int64_t bytes, unpadded_bytes, matched_bytes, folded_bytes, overlap_bytes;
    char note[XPD_MATCH_NOTE_MAX]; /* about the filter, or "" */
    struct xpd_buffer_group *group;
    uint32_t group_count, groups_left_out;
};

/* The i-th of those that are left. */
static inline const struct xpd_buffer_row *
xpd_buffer_table_row(const struct xpd_buffer_table *table, uint32_t i)
{
    return &table->row[table->pick ? table->pick[i] : i];
}

/* All buffers of the space, or what is held after a step. */
int xpd_buffers_collect(struct xpd_buffer_table *table, struct xpd_err *err);
/* Keeps the rows the query asks for, then folds those smaller than `fold_bytes`. */
int xpd_buffers_filter(struct xpd_buffer_table *table, int64_t fold_bytes, struct xpd_err *err);
struct xpd_buffer_page {
    struct xpd_buffer_row *row;
    uint32_t count;
};
/* Copies the rows [offset, offset + limit) of the sorted table. */
int xpd_buffers_sort(const struct xpd_buffer_table *table, enum xpd_buffer_key key, bool descending,
                     uint32_t offset, uint32_t limit, struct xpd_buffer_page *page,
                     struct xpd_err *err);
/* `by`: which of the words of that parameter, -1 = none; names go into the answer's table. */
int xpd_buffers_group(struct xpd_buffer_table *table, int by, struct xpd_names *names,
                      struct xpd_err *err);

struct xpd_buffer_life xpd_buffer_row_life(const struct xpd_buffer_table *table,
                                           const struct xpd_buffer_row *row);
int64_t xpd_buffer_row_saving(const struct xpd_buffer_table *table,
                              const struct xpd_buffer_row *row);
static inline int64_t xpd_buffer_row_padding(const struct xpd_buffer_row *row)
{
    return row->size_bytes - row->unpadded_bytes;
}

#endif
