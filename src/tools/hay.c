/* Looking for a part of many names at once. In: the names of a module in one piece. Out: which of
 * them hold the pattern, and where it stands in them.
 *
 * Sixteen places are looked at together: only where the first and the last byte of the pattern fit
 * is the rest compared. */
#include "hay.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK 64

static inline char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* First place at or after `from` where the word stands, `size` = nowhere. */
static uint32_t find_plain(const char *text, uint32_t from, uint32_t size, struct xpd_str word)
{
    for (uint32_t at = from; word.size <= size && at <= size - word.size; at++)
        if (text[at] == word.data[0] && memcmp(text + at, word.data, word.size) == 0)
            return at;
    return size;
}

#if defined(__SSE2__)
static uint32_t find(const char *text, uint32_t from, uint32_t size, struct xpd_str word)
{
    const __m128i first = _mm_set1_epi8(word.data[0]);
    const __m128i last = _mm_set1_epi8(word.data[word.size - 1]);
    uint64_t at = from, reach = word.size - 1;
    for (; at + reach + 16 <= size; at += 16) {
        __m128i head = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
        __m128i tail = _mm_loadu_si128((const __m128i *)(const void *)(text + at + reach));
        __m128i both = _mm_and_si128(_mm_cmpeq_epi8(head, first), _mm_cmpeq_epi8(tail, last));
        for (unsigned fits = (unsigned)_mm_movemask_epi8(both); fits != 0; fits &= fits - 1) {
            uint64_t here = at + (unsigned)__builtin_ctz(fits);
            if (memcmp(text + here, word.data, word.size) == 0)
                return (uint32_t)here;
        }
    }
    return find_plain(text, (uint32_t)at, size, word);
}
#else
#define find find_plain
#endif

/* The next name at or after *from that holds the word; *place is where in the text. The search goes
 * on behind that name. */
static uint32_t next_name(const struct xpd_hay *hay, struct xpd_str word, uint32_t *from,
                          uint32_t *place)
{
    *place = find(hay->text, *from, hay->size, word);
    if (*place >= hay->size)
        return XPD_NO_INDEX;
    uint32_t name = hay->at[*place / BLOCK];
    while (hay->start[name + 1] <= *place)
        name++;
    *from = hay->start[name + 1];
    return name;
}

static void rank_plain(const struct xpd_hay *hay, struct xpd_str word, uint8_t *rank)
{
    uint32_t from = 0, place, name;
    while ((name = next_name(hay, word, &from, &place)) != XPD_NO_INDEX) {
        uint32_t start = hay->start[name], length = hay->start[name + 1] - 1 - start;
        rank[name] = place > start         ? XPD_MATCH_PART
                     : length == word.size ? XPD_MATCH_EXACT
                                           : XPD_MATCH_PREFIX;
    }
}

/* Keeps those of marked[] that hold the word; `next` is room for as many. */
static void keep_holders(const struct xpd_hay *hay, struct xpd_str word, uint8_t *marked,
                         uint8_t *next)
{
    uint32_t from = 0, place, name;
    memset(next, 0, hay->count);
    while ((name = next_name(hay, word, &from, &place)) != XPD_NO_INDEX)
        next[name] = marked[name];
    memcpy(marked, next, hay->count);
}

/* What a shape index is written with. */
#define INDEX_BYTES XPD_STR("{}0123456789,-")

/* Reads only the names that hold a part no match can do without, when these are few: false = they
 * are not, or the automaton has too many states. Others match nowhere, whatever stands behind. */
static bool read_holders(const struct xpd_hay *hay, struct xpd_match *match, uint8_t *found,
                         uint16_t *left, uint8_t *read)
{
    enum { FEW = 4 /* a name read by itself costs about as much as this many in one go */ };
    char room[XPD_MATCH_PATTERN_MAX];
    struct xpd_str part[XPD_MATCH_PARTS];
    uint32_t from = 0, place, name, holders = 0;
    if (xpd_match_parts(match, room, part) == 0 || xpd_match_text_in_index(part[0]))
        return false;
    memset(read, 0, hay->count);
    for (; (name = next_name(hay, part[0], &from, &place)) != XPD_NO_INDEX; holders++)
        read[name] = 1;
    if (holders > hay->count / FEW)
        return false;
    memset(found, XPD_DFA_NOWHERE, hay->count);
    for (uint32_t i = 0; i < hay->count && holders > 0; i++) {
        if (!read[i])
            continue;
        holders--;
        if (!xpd_dfa_each(match->dfa, hay->text, hay->start + i, 1, found + i, left + i))
            return false;
    }
    return true;
}

/* With an automaton: each name is read once, and what may stand behind it is known from the state
 * it ends in. */
static bool rank_by_automaton(const struct xpd_hay *hay, struct xpd_match *match, uint8_t *rank,
                              uint8_t *longer, uint16_t *left)
{
    uint8_t can[XPD_DFA_STATES_MAX];
    if (!read_holders(hay, match, rank, left, longer)) {
        if (!xpd_dfa_each(match->dfa, hay->text, hay->start, hay->count, rank, left))
            return false;
        memset(longer, 1, hay->count);
    }
    xpd_dfa_can_match(match->dfa, INDEX_BYTES, can);
    for (uint32_t i = 0; i < hay->count; i++) {
        bool found = rank[i] != XPD_DFA_NOWHERE && hay->start[i + 1] - hay->start[i] > 1;
        longer[i] = rank[i] == XPD_DFA_INSIDE   ? XPD_LONGER_YES
                    : longer[i] && can[left[i]] ? XPD_LONGER_TEST
                                                : XPD_LONGER_NO;
        rank[i] = found ? XPD_MATCH_PART : XPD_MATCH_NONE;
    }
    return true;
}

static void rank_by_library(const struct xpd_hay *hay, const struct xpd_hlo *hlo,
                            struct xpd_match *match, uint8_t *rank, uint8_t *longer, uint8_t *next)
{
    char room[XPD_MATCH_PATTERN_MAX];
    struct xpd_str part[XPD_MATCH_PARTS];
    uint32_t parts = xpd_match_parts(match, room, part);
    bool grows = xpd_match_grows(match);
    memset(rank, 1, hay->count);
    memset(longer, XPD_LONGER_TEST, hay->count);
    for (uint32_t i = 0; i < parts; i++) {
        keep_holders(hay, part[i], rank, next);
        if (!xpd_match_text_in_index(part[i]))
            keep_holders(hay, part[i], longer, next);
    }
    for (uint32_t i = 0; i < hay->count; i++) {
        bool try = rank[i] && hay->start[i + 1] - hay->start[i] > 1;
        rank[i] =
            (uint8_t)(try ? xpd_match_test(match, xpd_hlo_text(hlo, hlo->instructions.name[i]))
                          : XPD_MATCH_NONE);
        if (grows && rank[i] != XPD_MATCH_NONE)
            longer[i] = XPD_LONGER_YES;
    }
}

static struct xpd_name_ranks rank_regex(const struct xpd_hay *hay, const struct xpd_hlo *hlo,
                                        struct xpd_match *match, struct xpd_arena *arena)
{
    struct xpd_name_ranks none = {0};
    uint8_t *rank = xpd_arena_bytes(arena, hay->count);
    uint8_t *longer = xpd_arena_bytes(arena, hay->count);
    if (!rank || !longer)
        return none;
    if (match->dfa && !hay->odd) {
        uint16_t *left = XPD_NEW_ARRAY(arena, uint16_t, hay->count);
        if (!left)
            return none;
        if (rank_by_automaton(hay, match, rank, longer, left))
            return (struct xpd_name_ranks){rank, longer, left, hay->start};
    }
    uint8_t *next = xpd_arena_bytes(arena, hay->count);
    if (!next)
        return none;
    rank_by_library(hay, hlo, match, rank, longer, next);
    return (struct xpd_name_ranks){rank, longer, NULL, hay->start};
}

struct xpd_name_ranks xpd_hay_ranks(const struct xpd_hay *hay, const struct xpd_hlo *hlo,
                                    struct xpd_match *match, struct xpd_arena *arena)
{
    struct xpd_str word = {match->folded, match->text.size};
    struct xpd_name_ranks ranks = {0};
    if (hay->count == 0 || word.size == 0)
        return ranks;
    if (match->is_regex)
        return rank_regex(hay, hlo, match, arena);
    if (word.size > sizeof match->folded || memchr(word.data, '\0', word.size))
        return ranks;
    uint8_t *rank = xpd_arena_bytes(arena, hay->count);
    if (!rank)
        return ranks;
    memset(rank, XPD_MATCH_NONE, hay->count);
    rank_plain(hay, word, rank);
    ranks.rank = rank;
    return ranks;
}

/* The index goes on where the name ended; a text is looked at up to XPD_MATCH_TEXT_MAX. */
static enum xpd_dfa_answer go_on(const struct xpd_name_ranks *ranks, struct xpd_match *match,
                                 const struct xpd_mem *mem, uint32_t buffer,
                                 struct xpd_strbuf *room)
{
    uint32_t instruction = mem->hlo->buffers.instruction[buffer];
    uint32_t name_size = ranks->start[instruction + 1] - ranks->start[instruction] - 1;
    xpd_mem_buffer_index(room, mem, buffer);
    if (!match->dfa || name_size + room->size > XPD_MATCH_TEXT_MAX)
        return XPD_DFA_TOO_MANY;
    return xpd_dfa_go_on(match->dfa, ranks->left[instruction],
                         (struct xpd_str){room->data, room->size});
}

bool xpd_hay_holds_buffer(const struct xpd_name_ranks *ranks, struct xpd_match *match,
                          const struct xpd_mem *mem, uint32_t buffer, struct xpd_strbuf *room)
{
    uint32_t instruction = mem->hlo->buffers.instruction[buffer];
    uint8_t longer =
        ranks->longer && instruction != XPD_NO_INDEX ? ranks->longer[instruction] : XPD_LONGER_TEST;
    if (longer != XPD_LONGER_TEST)
        return longer == XPD_LONGER_YES;
    xpd_strbuf_clear(room);
    if (ranks->left && instruction != XPD_NO_INDEX) {
        enum xpd_dfa_answer answer = go_on(ranks, match, mem, buffer, room);
        if (answer != XPD_DFA_TOO_MANY)
            return answer == XPD_DFA_YES;
        xpd_strbuf_clear(room);
    }
    xpd_mem_buffer_name(room, mem, buffer);
    return xpd_match_test(match, (struct xpd_str){room->data, room->size}) != XPD_MATCH_NONE;
}

static bool fill(struct xpd_hay *hay, const struct xpd_hlo *hlo, char *text, uint32_t *start,
                 uint32_t *at)
{
    uint32_t size = 0, block = 0;
    bool odd = false;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        start[i] = size;
        odd |= name.size > XPD_MATCH_TEXT_MAX || (name.size > 0 && memchr(name.data, 0, name.size));
        for (size_t k = 0; k < name.size; k++)
            text[size++] = fold(name.data[k]);
        text[size++] = '\0';
        for (; (uint64_t)block * BLOCK < size; block++)
            at[block] = i;
    }
    start[hlo->instructions.count] = size;
    *hay = (struct xpd_hay){text, size, start, at, odd, hlo->instructions.count};
    return true;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    const struct xpd_hlo *hlo = ctx->hlo;
    uint64_t size = 0;
    for (uint32_t i = 0; i < hlo->instructions.count; i++)
        size += xpd_hlo_text(hlo, hlo->instructions.name[i]).size + 1;
    if (size >= UINT32_MAX)
        return XPD_OK;
    char *text = xpd_arena_bytes(arena, size);
    uint32_t *start = XPD_NEW_ARRAY(arena, uint32_t, (size_t)hlo->instructions.count + 1);
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, size / BLOCK + 1);
    if (!text || !start || !at || !fill(table, hlo, text, start, at))
        return xpd_tools_no_memory(err);
    return XPD_OK;
}

const struct xpd_hay *xpd_table_hay(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_HAY, 0, false, sizeof(struct xpd_hay), make, err);
}
