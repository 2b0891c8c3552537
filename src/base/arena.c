/* Bump allocator.
 *
 * In: sizes. Out: pieces of blocks that grow from 64 KiB to 4 MiB; a piece too large for a block
 * gets its own block, placed after the newest so that the rest of the newest stays usable.
 * Invariants: used_bytes is the sum over all blocks of what malloc was asked for, and stays within
 * the budget; head->used <= head->size. A refused allocation sets `failed` and changes nothing
 * else, so a smaller one may still succeed. With XPD_DEBUG_ARENA each piece is a block of its own.
 */
#include "xprofd/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct xpd_arena_block {
    struct xpd_arena_block *next;
    size_t size; /* of data */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

#define ALIGNMENT     alignof(max_align_t)
#define HEADER_BYTES  offsetof(struct xpd_arena_block, data)
#define FIRST_BLOCK   ((size_t)64 << 10)
#define LARGEST_BLOCK ((size_t)4 << 20)
#define HUGE_PAGE     ((size_t)2 << 20)

void xpd_arena_init(struct xpd_arena *arena, uint64_t budget_bytes)
{
    *arena = (struct xpd_arena){.budget_bytes = budget_bytes};
}

static void free_blocks(struct xpd_arena_block *block, const struct xpd_arena_block *keep)
{
    while (block) {
        struct xpd_arena_block *next = block->next;
        if (block != keep)
            free(block);
        block = next;
    }
}

void xpd_arena_fini(struct xpd_arena *arena)
{
    free_blocks(arena->head, NULL);
    arena->head = NULL;
    arena->used_bytes = 0;
    arena->failed = arena->over_budget = false;
}

void xpd_arena_reset(struct xpd_arena *arena)
{
    struct xpd_arena_block *keep = NULL;
#ifndef XPD_DEBUG_ARENA
    /* The largest ordinary block: a piece of its own size would hold on to a peak for ever. */
    for (struct xpd_arena_block *block = arena->head; block; block = block->next)
        if (block->size <= LARGEST_BLOCK && (!keep || block->size > keep->size))
            keep = block;
#endif
    free_blocks(arena->head, keep);
    arena->head = keep;
    arena->used_bytes = 0;
    arena->failed = arena->over_budget = false;
    if (keep) {
        keep->next = NULL;
        keep->used = 0;
        arena->used_bytes = HEADER_BYTES + keep->size;
    }
}

void xpd_prefer_huge_pages(void *at, size_t size_bytes)
{
#ifdef MADV_HUGEPAGE
    if (size_bytes < 2 * HUGE_PAGE)
        return;
    size_t before = (size_t)(0 - (uintptr_t)at) & (HUGE_PAGE - 1);
    size_t whole = (size_bytes - before) & ~(HUGE_PAGE - 1);
    (void)madvise((unsigned char *)at + before, whole, MADV_HUGEPAGE);
#else
    (void)at;
    (void)size_bytes;
#endif
}

/* A block with room for `size` bytes, counted but not linked; NULL when it may not be. Fresh memory
 * of the system is zero already: `zeroed` asks for that rather than for writing it once more. */
static struct xpd_arena_block *new_block(struct xpd_arena *arena, size_t size, bool zeroed)
{
    if (size > SIZE_MAX - HEADER_BYTES || size + HEADER_BYTES > UINT64_MAX - arena->used_bytes)
        return NULL;
    uint64_t total = arena->used_bytes + size + HEADER_BYTES;
    if (arena->budget_bytes != 0 && total > arena->budget_bytes) {
        arena->over_budget = true;
        return NULL;
    }
    struct xpd_arena_block *block =
        zeroed ? calloc(1, size + HEADER_BYTES) : malloc(size + HEADER_BYTES);
    if (!block)
        return NULL;
    xpd_prefer_huge_pages(block, size + HEADER_BYTES);
    block->next = NULL;
    block->size = size;
    block->used = 0;
    arena->used_bytes = total;
    return block;
}

static void *refuse(struct xpd_arena *arena)
{
    arena->failed = true;
    return NULL;
}

#ifdef XPD_DEBUG_ARENA

static void *take(struct xpd_arena *arena, size_t size, size_t alignment, bool *zeroed)
{
    *zeroed = false;
    (void)alignment; /* data[] always has the largest */
    struct xpd_arena_block *block = new_block(arena, size, false);
    if (!block)
        return refuse(arena);
    block->used = size;
    block->next = arena->head;
    arena->head = block;
    return block->data;
}

#else

/* Block sizes double with the memory in use, and shrink to the remaining budget. */
static size_t ordinary_size(const struct xpd_arena *arena, size_t need)
{
    size_t size = FIRST_BLOCK;
    while (size < LARGEST_BLOCK && size < arena->used_bytes)
        size *= 2;
    size -= HEADER_BYTES; /* the whole is a round number for malloc */
    if (arena->budget_bytes != 0 && arena->used_bytes + HEADER_BYTES < arena->budget_bytes) {
        uint64_t left = arena->budget_bytes - arena->used_bytes - HEADER_BYTES;
        if (left < size)
            size = (size_t)left;
    }
    return size < need ? need : size;
}

/* *zeroed: whether the piece should be zero on entry, whether it is on return. */
static void *take_slow(struct xpd_arena *arena, size_t size, bool *zeroed)
{
    struct xpd_arena_block *head = arena->head;
    bool own = head && size > FIRST_BLOCK / 4;
    *zeroed = *zeroed && own;
    struct xpd_arena_block *block =
        new_block(arena, own ? size : ordinary_size(arena, size), *zeroed);
    if (!block) /* the system may still have a small one */
        block = new_block(arena, size, *zeroed);
    if (!block)
        return refuse(arena);
    if (own) {
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    block->used = size;
    return block->data;
}

static void *take(struct xpd_arena *arena, size_t size, size_t alignment, bool *zeroed)
{
    struct xpd_arena_block *head = arena->head;
    if (head) {
        /* used and size are far from SIZE_MAX, so that rounding up cannot wrap. */
        size_t start = (head->used + (alignment - 1)) & ~(alignment - 1);
        if (start <= head->size && size <= head->size - start) {
            head->used = start + size;
            *zeroed = false;
            return head->data + start;
        }
    }
    return take_slow(arena, size, zeroed);
}

#endif

static void *take_many(struct xpd_arena *arena, size_t count, size_t size, bool zero)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return refuse(arena);
    bool zeroed = zero;
    void *piece = take(arena, bytes ? bytes : 1, ALIGNMENT, &zeroed);
    return piece && zero && !zeroed ? memset(piece, 0, bytes) : piece;
}

void *xpd_arena_calloc(struct xpd_arena *arena, size_t count, size_t size)
{
    return take_many(arena, count, size, true);
}

void *xpd_arena_room(struct xpd_arena *arena, size_t count, size_t size)
{
    return take_many(arena, count, size, false);
}

void *xpd_arena_copy(struct xpd_arena *arena, const void *from, size_t count, size_t size)
{
    void *copy = xpd_arena_room(arena, count, size);
    if (copy && count != 0)
        memcpy(copy, from, count * size);
    return copy;
}

void *xpd_arena_bytes(struct xpd_arena *arena, size_t size)
{
    bool zeroed = false;
    return take(arena, size ? size : 1, 1, &zeroed);
}

char *xpd_arena_strndup(struct xpd_arena *arena, const char *text, size_t n)
{
    if (n == SIZE_MAX)
        return refuse(arena);
    bool zeroed = false;
    char *copy = take(arena, n + 1, 1, &zeroed);
    if (!copy)
        return NULL;
    if (n != 0)
        memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

struct xpd_str xpd_arena_str(struct xpd_arena *arena, struct xpd_str text)
{
    const char *copy = text.size > 0 ? xpd_arena_strndup(arena, text.data, text.size) : NULL;
    return copy ? (struct xpd_str){copy, text.size} : XPD_STR("");
}

char *xpd_arena_printf(struct xpd_arena *arena, const char *fmt, ...)
{
    char small[256];
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    char *text = NULL;
    bool zeroed = false;
    int size = vsnprintf(small, sizeof small, fmt, args);
    if (size < 0)
        arena->failed = true;
    else if ((size_t)size < sizeof small)
        text = xpd_arena_strndup(arena, small, (size_t)size);
    else if ((text = take(arena, (size_t)size + 1, 1, &zeroed)) != NULL)
        vsnprintf(text, (size_t)size + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}
