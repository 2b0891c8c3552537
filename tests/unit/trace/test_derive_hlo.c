/* What the programs of a profile say of the operations that kernels name: a plane /host:metadata
 * written by hand, expectations read off it. */
#include "derive_space.h"
#include "trace/derived/derive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct said { /* OpMetadata of an instruction; NULL or 0: not written */
    const char *instruction, *type, *name, *file;
    int64_t line;
};

static void put_instruction(struct pbw *w, const struct said *said)
{
    size_t instruction = pbw_begin(w, 2);
    pbw_str(w, 1, said->instruction);
    pbw_str(w, 2, "add");
    if (said->type || said->name || said->file) {
        size_t metadata = pbw_begin(w, 7);
        pbw_str(w, 1, said->type);
        pbw_str(w, 2, said->name);
        pbw_str(w, 3, said->file);
        pbw_int(w, 4, said->line);
        pbw_end(w, metadata);
    }
    pbw_end(w, instruction);
}

/* A program of as many computations as there are instructions, one in each. */
static void put_program(struct dspace *d, uint64_t id, const char *name, const struct said *said)
{
    char full[40];
    snprintf(full, sizeof full, "%s(%u)", name, (unsigned)id);
    size_t entry = pbw_begin(&d->tables, 4);
    pbw_uint(&d->tables, 1, id);
    size_t value = pbw_begin(&d->tables, 2);
    pbw_uint(&d->tables, 1, id);
    pbw_str(&d->tables, 2, full);
    size_t stat = pbw_begin(&d->tables, 5);
    pbw_uint(&d->tables, 1, 1);
    size_t proto = pbw_begin(&d->tables, 6), module = pbw_begin(&d->tables, 1);
    pbw_str(&d->tables, 1, name);
    pbw_str(&d->tables, 2, "main");
    for (int64_t number = 1; said->instruction; said++, number++) {
        size_t computation = pbw_begin(&d->tables, 3);
        pbw_str(&d->tables, 1, number == 1 ? "main" : "body");
        put_instruction(&d->tables, said);
        pbw_int(&d->tables, 5, number);
        pbw_end(&d->tables, computation);
    }
    pbw_uint(&d->tables, 5, id);
    pbw_end(&d->tables, module);
    pbw_end(&d->tables, proto);
    pbw_end(&d->tables, stat);
    pbw_end(&d->tables, value);
    pbw_end(&d->tables, entry);
}

struct asked {
    struct dspace d;
    struct xpd_derived out;
    struct xpd_deriving deriving;
};

static void open_programs(struct asked *at)
{
    static const struct said seven[] = {
        {"add.1", NULL, "jit(f)/jit(main)/add", "model.py", 12},
        {"dot.2", "MatMul", "model/dense/MatMul", "layers/dense.py", 345},
        {"copy.3", NULL, NULL, "only_source.py", 1},
        {"name.4", "Type", "only/a/name", NULL, 99},
        {"type.5", "Type", NULL, NULL, 0},
        {"none.6", NULL, NULL, NULL, 0},
        {"line.7", NULL, "x/y", "no_line.py", 0},
        {"back.8", NULL, "x/z", "negative.py", -1},
        {NULL, NULL, NULL, NULL, 0},
    };
    static const struct said nine[] = {{"add.1", NULL, "jit(g)/sub", "other.py", 7},
                                       {NULL, NULL, NULL, NULL, 0}};
    *at = (struct asked){0};
    dspace_plane(&at->d, "/host:metadata", 3);
    at->d.stat_name[at->d.stats++] = "Hlo Proto";
    put_program(&at->d, 7, "jit_f", seven);
    put_program(&at->d, 9, "jit_g", nine);
    dspace_plane(&at->d, "/host:CPU", 0);
    dspace_line(&at->d, "main", 1);
    dspace_event(&at->d, dspace_name(&at->d, "a", NULL, NO_STATS), 0, 1, NO_STATS);
    dspace_load(&at->d);
    assert_int_equal(at->d.space->hlo_count, 2);
    xpd_arena_init(&at->out.arena, 0);
    xpd_intern_init(&at->out.names, &at->out.arena);
    at->deriving.out = &at->out;
    at->deriving.trace = at->d.trace;
}

static void close_programs(struct asked *at)
{
    assert_false(at->deriving.failed);
    XPD_VEC_FINI(&at->deriving.hlo);
    xpd_map64_fini(&at->deriving.hlo_of);
    xpd_map64_fini(&at->deriving.hlo_read);
    xpd_intern_fini(&at->out.names);
    xpd_arena_fini(&at->out.arena);
    dspace_free(&at->d);
}

static void is_text(const struct asked *at, xpd_name_id id, const char *wanted)
{
    if (!wanted) {
        assert_int_equal(id, XPD_NO_NAME);
        return;
    }
    assert_int_not_equal(id, XPD_NO_NAME);
    struct xpd_str text = xpd_intern_get(&at->out.names, id);
    if (!xpd_str_eq(text, xpd_str_of(wanted)))
        fail_msg("\"%.*s\" instead of \"%s\"", (int)text.size, text.data, wanted);
}

/* Both NULL: nothing is said of the operation. */
static void says(struct asked *at, uint64_t program, const char *op, const char *tf_op,
                 const char *source)
{
    const struct xpd_hlo_said *said = xpd_derive_hlo(&at->deriving, program, xpd_str_of(op));
    if (!tf_op && !source) {
        assert_null(said);
        return;
    }
    assert_non_null(said);
    is_text(at, said->tf_op, tf_op);
    is_text(at, said->source, source);
}

static void texts(void **state)
{
    struct asked at;
    (void)state;
    open_programs(&at);
    says(&at, 7, "add.1", "jit(f)/jit(main)/add:", "model.py:12");
    says(&at, 7, "dot.2", "model/dense/MatMul:MatMul", "dense.py:345");
    says(&at, 7, "copy.3", ":", "only_source.py:1");  /* XProf joins them, be they empty */
    says(&at, 7, "name.4", "only/a/name:Type", NULL); /* a line without a file is none */
    says(&at, 7, "type.5", ":Type", NULL);
    says(&at, 7, "none.6", ":", NULL); /* only an instruction that is not there says nothing */
    says(&at, 7, "line.7", "x/y:", "no_line.py:0");
    says(&at, 7, "back.8", "x/z:", "negative.py:-1");
    close_programs(&at);
}

static void programs(void **state)
{
    struct asked at;
    (void)state;
    open_programs(&at);
    says(&at, 9, "add.1", "jit(g)/sub:", "other.py:7"); /* the same name elsewhere */
    says(&at, 7, "add.1", "jit(f)/jit(main)/add:", "model.py:12");
    says(&at, 9, "add.1", "jit(g)/sub:", "other.py:7");
    says(&at, 9, "dot.2", NULL, NULL);
    says(&at, 7, "nosuch", NULL, NULL);
    says(&at, 7, "", NULL, NULL);
    says(&at, 8, "add.1", NULL, NULL); /* no such program, asked twice */
    says(&at, 8, "add.1", NULL, NULL);
    says(&at, 0, "add.1", NULL, NULL);
    close_programs(&at);
}

/* A program is read when it is first asked about, once, and no other is. */
static void read_once(void **state)
{
    struct asked at;
    (void)state;
    open_programs(&at);
    says(&at, 9, "nosuch", NULL, NULL);
    assert_int_equal(at.deriving.hlo.count, 1);
    says(&at, 9, "add.1", "jit(g)/sub:", "other.py:7");
    assert_int_equal(at.deriving.hlo.count, 1);
    says(&at, 7, "add.1", "jit(f)/jit(main)/add:", "model.py:12");
    size_t both = at.deriving.hlo.count;
    assert_int_equal(both, 1 + 8);
    says(&at, 7, "dot.2", "model/dense/MatMul:MatMul", "dense.py:345");
    assert_int_equal(at.deriving.hlo.count, both);
    close_programs(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(programs),
                                       cmocka_unit_test(read_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
