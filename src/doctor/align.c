/* The steps of two programs aligned. In: two spaces. Out: slots, each with a step of one or both.
 *
 * A step's key is its kind and its buffer's kind of group. Buffers of one kind are known by a few
 * bytes (compare_keys.h); the text, which decides where both sides have something of their own, is
 * made once for each kind. */
#include "align_sequences.h"
#include "compare_keys.h"
#include "xprofd/doctor/doctor.h"
#include "xprofd/hlo/print.h"
#include "xprofd/hlo/source_info.h"

/* The texts of two programs, line by line. In: modules and the order their text has. Out: slots. */

int xpd_program_lines(struct xpd_program_lines *out, const struct xpd_hlo *hlo,
                      struct xpd_hlo_printer *printer, bool inside, struct xpd_arena *arena,
                      struct xpd_err *err)
{
    const uint32_t *computation, *instruction;
    uint32_t computations = xpd_hlo_print_order(printer, &computation), count;
    uint64_t most = (uint64_t)hlo->instructions.count + computations;
    most = most < XPD_PROGRAM_LINES ? most : XPD_PROGRAM_LINES;
    *out = (struct xpd_program_lines){
        .at = XPD_NEW_ARRAY(arena, struct xpd_program_line, (size_t)most + 1)};
    if (!out->at)
        return xpd_no_memory(err, NULL, "for a program's lines");
    for (uint32_t c = 0; c < computations; c++) {
        if (!inside && hlo->computations.is_fusion[computation[c]])
            continue;
        xpd_hlo_instruction_order(printer, computation[c], &instruction, &count);
        for (uint32_t i = 0; i <= count; i++) {
            uint32_t at = i == 0 ? XPD_NO_INDEX : instruction[i - 1];
            if (i > 0 && at == XPD_NO_INDEX)
                continue;
            if (out->count < most)
                out->at[out->count++] = (struct xpd_program_line){computation[c], at};
            else
                out->left_out++;
        }
    }
    return XPD_OK;
}

struct work {
    const struct xpd_hlo *const *hlo;
    struct xpd_arena scratch;
    struct xpd_intern keys, scopes;
    struct xpd_strbuf text, scope;
    uint32_t *scope_of[2];           /* op name in the module -> id in `scopes` + 1 */
    uint32_t *of_line[2], *loose[2]; /* with and without the scope */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Letters begin a name; digits, points and dashes go on with it. */
static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           c == '.' || c == '-';
}

/* Skips ".12" at `at` if it follows a letter of a name and ends a part of it. */
static size_t past_number(struct xpd_str text, size_t at)
{
    size_t end = at + 1;
    if (text.data[at] != '.' || end >= text.size || !is_digit(text.data[end]))
        return at;
    while (end < text.size && is_digit(text.data[end]))
        end++;
    return end < text.size && is_name(text.data[end]) && text.data[end] != '.' ? at : end;
}

/* A walker over a text that leaves out the numbers of names. */
struct names {
    struct xpd_str text;
    size_t at;
    bool in_name, in_word; /* in_word: of a token that a letter began */
};

static int next_char(struct names *w)
{
    while (w->at < w->text.size) {
        char c = w->text.data[w->at];
        if (!is_name(c))
            w->in_name = false;
        else if (!w->in_name) {
            w->in_name = true;
            w->in_word = !is_digit(c) && c != '.' && c != '-';
        }
        size_t past = w->in_name && w->in_word ? past_number(w->text, w->at) : w->at;
        if (past == w->at) {
            w->at++;
            return (unsigned char)c;
        }
        w->at = past;
    }
    return -1;
}

bool xpd_same_but_numbers(struct xpd_str a, struct xpd_str b)
{
    struct names x = {.text = a}, y = {.text = b};
    for (;;) {
        int c = next_char(&x), d = next_char(&y);
        if (c != d)
            return false;
        if (c < 0)
            return true;
    }
}

static void put_stem(struct xpd_strbuf *out, struct xpd_str name)
{
    struct names w = {.text = name};
    for (int c = next_char(&w); c >= 0; c = next_char(&w))
        xpd_strbuf_putc(out, (char)c);
}

/* A fusion without its own op name has that of an inner instruction, as everywhere. */
static uint32_t scope_of(struct work *w, int s, uint32_t instruction)
{
    const struct xpd_hlo *hlo = w->hlo[s];
    xpd_name_id name = hlo->instructions.op_name[instruction];
    struct xpd_source_info info = {.op_name = xpd_hlo_text(hlo, name)};
    bool own = info.op_name.size > 0;
    if (own && w->scope_of[s][name] != 0)
        return w->scope_of[s][name];
    if (!own)
        xpd_source_of(hlo, instruction, &info);
    xpd_strbuf_clear(&w->scope);
    xpd_doctor_scope(&w->scope, info.op_name);
    uint32_t id = xpd_intern_put(&w->scopes, w->scope.data ? w->scope.data : "", w->scope.size) + 1;
    if (own)
        w->scope_of[s][name] = id;
    return id;
}

static uint32_t key_of(struct work *w, int s, const struct xpd_program_line *line, bool scoped)
{
    const struct xpd_hlo *hlo = w->hlo[s];
    bool first = line->instruction == XPD_NO_INDEX;
    uint32_t root = first ? hlo->computations.root[line->computation] : line->instruction;
    xpd_strbuf_clear(&w->text);
    if (first) {
        put_stem(&w->text, xpd_hlo_text(hlo, hlo->computations.name[line->computation]));
    } else {
        struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[root]);
        xpd_strbuf_add(&w->text, opcode.data, opcode.size);
        xpd_strbuf_putc(&w->text, ' ');
        struct xpd_str scope =
            scoped ? xpd_intern_get(&w->scopes, scope_of(w, s, root) - 1) : XPD_STR("*");
        xpd_strbuf_add(&w->text, scope.data, scope.size);
    }
    xpd_strbuf_putc(&w->text, ' ');
    if (root != XPD_NO_INDEX)
        xpd_shape_text(&w->text, hlo->instructions.shape[root], false);
    uint32_t id = xpd_intern_put(&w->keys, w->text.data ? w->text.data : "", w->text.size);
    return id * 4 + first;
}

static bool make_keys(struct work *w, const struct xpd_program_lines lines[2])
{
    for (int s = 0; s < 2; s++) {
        w->of_line[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, (size_t)lines[s].count + 1);
        w->scope_of[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, (size_t)w->hlo[s]->names.count + 1);
        w->loose[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, (size_t)lines[s].count + 1);
        if (!w->of_line[s] || !w->scope_of[s] || !w->loose[s])
            return false;
        for (uint32_t i = 0; i < lines[s].count; i++) {
            w->of_line[s][i] = key_of(w, s, &lines[s].at[i], true);
            w->loose[s][i] = key_of(w, s, &lines[s].at[i], false);
        }
    }
    return !w->keys.failed && !w->scopes.failed && !w->text.failed && !w->scope.failed &&
           w->keys.count < UINT32_MAX / 4;
}

struct gap { /* lines of both sides between two slots that have both */
    uint32_t from[2], to[2];
};

static void put(struct xpd_align *out, uint32_t before, uint32_t after)
{
    out->step[0][out->count] = before;
    out->step[1][out->count++] = after;
    out->matched += before != XPD_NO_STEP && after != XPD_NO_STEP;
    out->only_before += after == XPD_NO_STEP;
    out->only_after += before == XPD_NO_STEP;
}

/* What moved to another scope is the same line still: from both ends of a gap, as long as opcode
 * and shape are equal. */
static void put_gap(struct xpd_align *out, const struct work *w, struct gap gap)
{
    uint32_t back = 0;
    while (gap.from[0] < gap.to[0] && gap.from[1] < gap.to[1] &&
           w->loose[0][gap.from[0]] == w->loose[1][gap.from[1]])
        put(out, gap.from[0]++, gap.from[1]++);
    while (gap.from[0] < gap.to[0] && gap.from[1] < gap.to[1] &&
           w->loose[0][gap.to[0] - 1] == w->loose[1][gap.to[1] - 1]) {
        gap.to[0]--;
        gap.to[1]--;
        back++;
    }
    while (gap.from[0] < gap.to[0])
        put(out, gap.from[0]++, XPD_NO_STEP);
    while (gap.from[1] < gap.to[1])
        put(out, XPD_NO_STEP, gap.from[1]++);
    for (uint32_t i = 0; i < back; i++)
        put(out, gap.to[0] + i, gap.to[1] + i);
}

/* The slots again, lines of one side before those of the other in each gap that is left. */
static bool close_gaps(struct xpd_align *out, const struct work *w,
                       const struct xpd_program_lines lines[2], struct xpd_arena *arena)
{
    struct xpd_align next = {.whole = out->whole};
    struct gap gap = {{0, 0}, {0, 0}};
    for (int s = 0; s < 2; s++)
        next.step[s] = XPD_NEW_ARRAY(arena, uint32_t, (size_t)out->count + 1);
    if (!next.step[0] || !next.step[1])
        return false;
    for (uint32_t slot = 0; slot < out->count; slot++) {
        uint32_t at[2] = {out->step[0][slot], out->step[1][slot]};
        if (at[0] == XPD_NO_STEP || at[1] == XPD_NO_STEP)
            continue;
        gap.to[0] = at[0];
        gap.to[1] = at[1];
        put_gap(&next, w, gap);
        put(&next, at[0], at[1]);
        gap.from[0] = at[0] + 1;
        gap.from[1] = at[1] + 1;
    }
    gap.to[0] = lines[0].count;
    gap.to[1] = lines[1].count;
    put_gap(&next, w, gap);
    *out = next;
    return true;
}

int xpd_align_programs(struct xpd_align *out, const struct xpd_hlo *const hlo[2],
                       const struct xpd_program_lines lines[2], struct xpd_arena *arena,
                       struct xpd_err *err)
{
    struct work w = {.hlo = hlo};
    *out = (struct xpd_align){.whole = true};
    xpd_arena_init(&w.scratch, arena->budget_bytes);
    xpd_intern_init(&w.keys, &w.scratch);
    xpd_intern_init(&w.scopes, &w.scratch);
    bool ok = make_keys(&w, lines);
    struct xpd_align_sequences in = {.key = {w.of_line[0], w.of_line[1]},
                                     .count = {lines[0].count, lines[1].count},
                                     .names = &w.keys};
    ok = ok && xpd_align_sequences(out, &in, XPD_ALIGN_LINE_BITS, arena, &w.scratch) &&
         close_gaps(out, &w, lines, arena);
    xpd_strbuf_fini(&w.text);
    xpd_strbuf_fini(&w.scope);
    xpd_intern_fini(&w.scopes);
    xpd_intern_fini(&w.keys);
    xpd_arena_fini(&w.scratch);
    return ok ? XPD_OK : xpd_no_memory(err, NULL, "to align the programs");
}

struct align_work {
    const struct xpd_compare_side *side;
    struct xpd_arena scratch;
    struct xpd_compare_keys kinds;
    struct xpd_intern keys;
    struct xpd_strbuf key;
    uint32_t *of_kind;      /* key of each of `kinds`, made when first met */
    uint32_t *of_buffer[2]; /* the same of each buffer */
    uint32_t *of_step[2];
};

static uint32_t buffer_key(struct align_work *w, int s, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return 0;
    uint32_t *known = &w->of_buffer[s][buffer];
    if (*known != 0)
        return *known;
    uint32_t *key = &w->of_kind[xpd_compare_key(&w->kinds, s, buffer, XPD_CLASS_TEMPORARY)];
    if (*key == 0) {
        xpd_strbuf_clear(&w->key);
        xpd_group_key(&w->key, w->side[s].mem, buffer, XPD_CLASS_TEMPORARY, false);
        *key = xpd_intern_put(&w->keys, w->key.data ? w->key.data : "", w->key.size);
    }
    return *known = *key;
}

/* Kinds are 0 to 2; others are kept apart as one more. */
static uint32_t kind_of(const struct align_work *w, int s, uint32_t step)
{
    uint8_t kind = w->side[s].mem->hlo->events.kind[w->side[s].space->event[step]];
    return kind < 3 ? kind : 3;
}

static bool keys_of_program(struct align_work *w)
{
    size_t buffers =
        (size_t)w->side[0].mem->hlo->buffers.count + w->side[1].mem->hlo->buffers.count;
    w->of_kind = XPD_NEW_ARRAY(&w->scratch, uint32_t, buffers + 1);
    if (!w->of_kind)
        return false;
    for (int s = 0; s < 2; s++) {
        const struct xpd_mem_space *space = w->side[s].space;
        const struct xpd_hlo *hlo = w->side[s].mem->hlo;
        w->of_buffer[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, hlo->buffers.count);
        w->of_step[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, space->step_count);
        if ((hlo->buffers.count > 0 && !w->of_buffer[s]) ||
            (space->step_count > 0 && !w->of_step[s]))
            return false;
        for (uint32_t i = 0; i < space->step_count; i++)
            w->of_step[s][i] =
                buffer_key(w, s, hlo->events.buffer[space->event[i]]) * 4 + kind_of(w, s, i);
    }
    bool failed = w->kinds.keys.failed || w->kinds.words.failed || w->kinds.bytes.failed;
    return !failed && !w->keys.failed && !w->key.failed && w->keys.count < UINT32_MAX / 4;
}

int xpd_align_steps(struct xpd_align *out, const struct xpd_compare_side side[2],
                    struct xpd_arena *arena, struct xpd_err *err)
{
    struct align_work w = {.side = side};
    *out = (struct xpd_align){.whole = true};
    xpd_arena_init(&w.scratch, arena->budget_bytes);
    xpd_intern_init(&w.keys, &w.scratch);
    bool ok = xpd_compare_keys_init(&w.kinds, side, &w.scratch) && keys_of_program(&w);
    struct xpd_align_sequences in = {.names = &w.keys};
    for (int s = 0; s < 2; s++) {
        in.key[s] = w.of_step[s];
        in.count[s] = side[s].space->step_count;
    }
    ok = ok && xpd_align_sequences(out, &in, XPD_ALIGN_BITS, arena, &w.scratch);
    xpd_compare_keys_fini(&w.kinds);
    xpd_strbuf_fini(&w.key);
    xpd_intern_fini(&w.keys);
    xpd_arena_fini(&w.scratch);
    return ok ? XPD_OK : xpd_no_memory(err, NULL, "to align the programs");
}
