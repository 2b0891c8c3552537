/* Patterns by PCRE2, compiled for the processor where that is possible.
 *
 * In: any bytes as pattern and text. Out: a rank. An invalid pattern is reported, never fatal.
 * Plain text is compared byte by byte; an expression reads UTF-8 and does not match invalid bytes.
 */
#include "xprofd/match/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define DEPTH_MAX       10000 /* these two only where no code can be made for the processor */
#define HEAP_KIB_MAX    4096
#define STACK_BYTES     ((size_t)32 << 10)
#define STACK_BYTES_MAX ((size_t)1 << 20)
#define WORD_EDGE_MAX   8 /* bytes of an edge of a word as PCRE2 writes it */
#define SHORT_TEXT      256
#define TIMED_EACH      1024 /* of the tests of short texts: reading the clock takes as long as 30 */
#define LIMIT_NS        1000000 /* about the time of XPD_MATCH_STEPS_MAX */
#define PLAIN_OPTIONS   (PCRE2_LITERAL | PCRE2_CASELESS)
#define EXPRESSION_OPTIONS                                                                         \
    (PCRE2_CASELESS | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY |  \
     PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UCP | PCRE2_NO_AUTO_CAPTURE)

struct xpd_match_engine {
    pcre2_code *code;
    pcre2_match_data *found;
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
    bool compiled; /* for the processor */
};

static void engine_free(struct xpd_match_engine *engine)
{
    if (!engine)
        return;
    pcre2_jit_stack_free(engine->stack);
    pcre2_match_context_free(engine->limits);
    pcre2_match_data_free(engine->found);
    pcre2_code_free(engine->code);
    free(engine);
}

/* Takes the code. NULL: no memory. */
static struct xpd_match_engine *engine_new(pcre2_code *code)
{
    struct xpd_match_engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        pcre2_code_free(code);
        return NULL;
    }
    engine->code = code;
    engine->found = pcre2_match_data_create(1, NULL);
    engine->limits = pcre2_match_context_create(NULL);
    if (!engine->found || !engine->limits) {
        engine_free(engine);
        return NULL;
    }
    pcre2_set_match_limit(engine->limits, XPD_MATCH_STEPS_MAX);
    pcre2_set_depth_limit(engine->limits, DEPTH_MAX);
    pcre2_set_heap_limit(engine->limits, HEAP_KIB_MAX);
    engine->compiled = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
    if (engine->compiled)
        engine->stack = pcre2_jit_stack_create(STACK_BYTES, STACK_BYTES_MAX, NULL);
    if (engine->stack)
        pcre2_jit_stack_assign(engine->limits, NULL, engine->stack);
    return engine;
}

/* At least 0: found. */
static int engine_run(struct xpd_match_engine *engine, struct xpd_str text, uint32_t options)
{
    int (*match)(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
                 pcre2_match_data *, pcre2_match_context *) =
        engine->compiled ? pcre2_jit_match : pcre2_match;
    return match(engine->code, (PCRE2_SPTR)text.data, text.size, 0, options, engine->found,
                 engine->limits);
}

/* ---- compiling ---- */

/* Writes the expression with \< and \> as PCRE2 spells them. Returns its size; *from is the place
 * in the expression that `at` in the copy comes from. */
static size_t spell(struct xpd_str text, char *out, size_t at, size_t *from)
{
    size_t size = 0, set = SIZE_MAX; /* position of the first byte of the open [set] */
    *from = text.size;
    for (size_t i = 0, taken; i < text.size; i += taken) {
        char c = text.data[i], next = i + 1 < text.size ? text.data[i + 1] : '\0';
        bool edge = c == '\\' && set == SIZE_MAX && (next == '<' || next == '>');
        taken = c == '\\' && i + 1 < text.size ? 2 : 1;
        if (c == '[' && set == SIZE_MAX)
            set = i + 1 + (next == '^');
        else if (c == ']' && set != SIZE_MAX && i > set)
            set = SIZE_MAX;
        struct xpd_str piece = {text.data + i, taken};
        if (edge)
            piece = next == '<' ? XPD_STR("[[:<:]]") : XPD_STR("[[:>:]]");
        memcpy(out + size, piece.data, piece.size);
        size += piece.size;
        if (size > at && *from == text.size)
            *from = i;
    }
    return size;
}

static void explain(struct xpd_match *match, int error, size_t at)
{
    PCRE2_UCHAR words[128];
    if (pcre2_get_error_message(error, words, sizeof words) < 0 && words[0] == '\0')
        snprintf((char *)words, sizeof words, "error %d of PCRE2", error);
    snprintf(match->problem, sizeof match->problem,
             "taken as plain text: the regular expression is not valid at offset %zu: %s", at,
             (const char *)words);
}

static bool compile_expression(struct xpd_match *match)
{
    char spelled[XPD_MATCH_PATTERN_MAX / 2 * WORD_EDGE_MAX];
    struct xpd_str text = match->text;
    size_t offset, at;
    int error;
    if (text.size > XPD_MATCH_PATTERN_MAX || (text.size > 1 && memcmp(text.data, "(*", 2) == 0)) {
        snprintf(match->problem, sizeof match->problem,
                 "taken as plain text: the regular expression %s",
                 text.size > XPD_MATCH_PATTERN_MAX ? "is longer than 256 bytes"
                                                   : "begins with (*, which sets options");
        return false;
    }
    size_t size = spell(text, spelled, SIZE_MAX, &at);
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)spelled, size, EXPRESSION_OPTIONS, &error, &offset, NULL);
    match->engine = code ? engine_new(code) : NULL;
    if (!code) {
        spell(text, spelled, offset, &at);
        explain(match, error, at);
    } else if (!match->engine) {
        snprintf(match->problem, sizeof match->problem,
                 "taken as plain text: not enough memory for the regular expression");
    }
    return match->engine != NULL;
}

/* Without code for the processor xpd_str_find is faster. */
static void compile_plain(struct xpd_match *match)
{
    size_t offset;
    int error;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)match->text.data, match->text.size, PLAIN_OPTIONS,
                                     &error, &offset, NULL);
    match->engine = code ? engine_new(code) : NULL;
    if (match->engine && !match->engine->compiled) {
        engine_free(match->engine);
        match->engine = NULL;
    }
}

static void start(struct xpd_match *match, struct xpd_str text, bool is_regex)
{
    memset(match, 0, sizeof *match);
    match->text = text;
    match->allowed_ns = (int64_t)XPD_MATCH_MS_MAX * 1000000;
    match->is_regex = is_regex && compile_expression(match);
    if (!match->is_regex && text.size > 0)
        compile_plain(match);
}

void xpd_match_init(struct xpd_match *match, struct xpd_str typed)
{
    bool slashes = typed.size > 2 && typed.data[0] == '/' && typed.data[typed.size - 1] == '/';
    start(match, slashes ? (struct xpd_str){typed.data + 1, typed.size - 2} : typed, slashes);
}

void xpd_match_init_regex(struct xpd_match *match, struct xpd_str expression)
{
    start(match, expression, expression.size > 0);
}

void xpd_match_fini(struct xpd_match *match)
{
    engine_free(match->engine);
    match->engine = NULL;
}

/* ---- trying ---- */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Time of this thread, regardless of other load. Of short texts one in TIMED_EACH is timed,
 * for all of them, and each that reaches a limit is charged beside that. */
static int run_charged(struct xpd_match *match, struct xpd_str text, uint32_t options)
{
    bool is_short = text.size <= SHORT_TEXT, timed = !is_short || match->tests++ % TIMED_EACH == 0;
    int64_t begin = timed ? now_ns() : 0;
    int rc = engine_run(match->engine, text, options);
    if (timed)
        match->spent_ns += (now_ns() - begin) * (is_short ? TIMED_EACH : 1);
    else if (rc < PCRE2_ERROR_NOMATCH)
        match->spent_ns += LIMIT_NS;
    match->stopped = match->spent_ns > match->allowed_ns;
    return rc;
}

static enum xpd_match_rank test_expression(struct xpd_match *match, struct xpd_str text)
{
    bool cut = text.size > XPD_MATCH_TEXT_MAX;
    if (cut)
        text.size = XPD_MATCH_TEXT_MAX;
    int rc =
        match->stopped ? PCRE2_ERROR_MATCHLIMIT : run_charged(match, text, cut ? PCRE2_NOTEOL : 0);
    if (rc >= 0)
        return XPD_MATCH_PART;
    match->unjudged += cut || rc != PCRE2_ERROR_NOMATCH;
    return XPD_MATCH_NONE;
}

/* Where the text begins, SIZE_MAX = nowhere. */
static size_t find_plain(const struct xpd_match *match, struct xpd_str text)
{
    int rc = match->engine ? engine_run(match->engine, text, 0) : PCRE2_ERROR_INTERNAL;
    return rc >= 0                     ? pcre2_get_ovector_pointer(match->engine->found)[0]
           : rc == PCRE2_ERROR_NOMATCH ? SIZE_MAX
                                       : xpd_str_find(text, match->text, true);
}

enum xpd_match_rank xpd_match_test(struct xpd_match *match, struct xpd_str text)
{
    if (match->text.size == 0)
        return XPD_MATCH_PART;
    if (text.size < (match->is_regex ? 1 : match->text.size))
        return XPD_MATCH_NONE;
    if (match->is_regex)
        return test_expression(match, text);
    size_t at = find_plain(match, text);
    return at == SIZE_MAX                  ? XPD_MATCH_NONE
           : at > 0                        ? XPD_MATCH_PART
           : text.size == match->text.size ? XPD_MATCH_EXACT
                                           : XPD_MATCH_PREFIX;
}

const char *xpd_match_note(const struct xpd_match *match, char room[XPD_MATCH_NOTE_MAX])
{
    if (match->unjudged == 0)
        return match->problem;
    snprintf(room, XPD_MATCH_NOTE_MAX,
             "%llu texts were not checked to the end, so more may match: the regular expression "
             "reached its limit of %d steps or %d bytes in a text, or of %lld ms in all",
             (unsigned long long)match->unjudged, XPD_MATCH_STEPS_MAX, XPD_MATCH_TEXT_MAX,
             (long long)(match->allowed_ns / 1000000));
    return room;
}

bool xpd_match_in_index(const struct xpd_match *match)
{
    struct xpd_str text = match->text;
    if (match->is_regex || (text.size > 0 && memchr(text.data, '{', text.size)))
        return true;
    for (size_t i = 0; i < text.size; i++)
        if (!strchr("0123456789-,}", text.data[i]) || text.data[i] == '\0')
            return false;
    return true;
}
