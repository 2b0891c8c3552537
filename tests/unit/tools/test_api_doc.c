/* docs/API.md and the generated files of the page against the declarations: every route has a
 * section and every section a route, with each parameter and the title. */
#include "tool_call.h"
#include "xprofd/json/reader.h"
#include "xprofd/tools/api.h"

#define UPDATE "XPD_UPDATE=1 ctest -R unit_tools_api_doc writes it"

static char *document;

static void source_path(char out[600], const char *name)
{
    const char *source = getenv("XPD_SOURCE");
    snprintf(out, 600, "%s/%s", source ? source : ".", name);
}

static char *read_source(const char *name, size_t *size)
{
    char path[600];
    source_path(path, name);
    FILE *in = fopen(path, "rb");
    char *text = in ? calloc(1, 1 << 20) : NULL;
    *size = text ? fread(text, 1, (1 << 20) - 1, in) : 0;
    if (in)
        fclose(in);
    return text;
}

static void write_source(const char *name, const void *text, size_t size)
{
    char path[600];
    source_path(path, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static bool is_declared(const struct xpd_tool *tool)
{
    return tool->answer || tool->content;
}

/* New tools get their sections at the end. */
static void add_missing(struct xpd_strbuf *out)
{
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++) {
        char heading[128];
        snprintf(heading, sizeof heading, "\n## %s\n", tools[i]->route);
        if (!is_declared(tools[i]) || strstr(document, heading))
            continue;
        xpd_strbuf_puts(out, "\n");
        xpd_api_section(out, tools[i]);
    }
}

/* The document with the sections of declared tools made anew. */
static void update_document(struct xpd_strbuf *out)
{
    const char *at = document;
    while (*at) {
        const char *line_end = strchr(at, '\n');
        size_t line = line_end ? (size_t)(line_end - at) + 1 : strlen(at);
        struct xpd_str route = {at + 3, line > 4 ? line - 4 : 0};
        const struct xpd_tool *tool = strncmp(at, "## ", 3) == 0 ? xpd_tool_find(route) : NULL;
        if (!tool || !is_declared(tool)) {
            xpd_strbuf_add(out, at, line);
            at += line;
            continue;
        }
        xpd_api_section(out, tool);
        const char *next = strstr(at, "\n## ");
        xpd_strbuf_puts(out, next ? "\n" : "");
        at = next ? next + 1 : at + strlen(at);
    }
    add_missing(out);
}

/* Files of the page that are made from declarations. */
static const struct {
    const char *name;
    void (*make)(struct xpd_strbuf *out);
} page_file[] = {
    {"web/src/api/answers.ts", xpd_api_types},
    {"web/src/api/sidebar.ts", xpd_api_sidebar},
    {"web/src/views.ts", xpd_api_views},
};

static void update(void)
{
    struct xpd_strbuf made = {0};
    update_document(&made);
    write_source("docs/API.md", made.data, made.size);
    for (size_t i = 0; i < sizeof page_file / sizeof *page_file; i++) {
        xpd_strbuf_clear(&made);
        page_file[i].make(&made);
        write_source(page_file[i].name, made.data, made.size);
    }
    xpd_strbuf_fini(&made);
}

static int read_document(void **state)
{
    (void)state;
    size_t size;
    document = read_source("docs/API.md", &size);
    if (document && getenv("XPD_UPDATE")) {
        update();
        free(document);
        document = read_source("docs/API.md", &size);
    }
    return size > 0 ? 0 : -1;
}

static int free_document(void **state)
{
    (void)state;
    free(document);
    return 0;
}

/* The section of a route, a copy to free; NULL when it has none. */
static char *section_of(const char *route)
{
    char heading[128];
    snprintf(heading, sizeof heading, "\n## %s\n", route);
    const char *start = strstr(document, heading);
    if (!start)
        return NULL;
    start += strlen(heading);
    const char *end = strstr(start, "\n## ");
    return strndup(start, end ? (size_t)(end - start) : strlen(start));
}

/* What is made from the declaration is in the file, to the letter. */
static void check_declared(const struct xpd_tool *tool, const char *section)
{
    struct xpd_strbuf made = {0};
    if (!tool->answer)
        return;
    xpd_api_section(&made, tool);
    const char *body = strchr(made.data, '\n') + 1;
    if (strncmp(section, body, strlen(body)) != 0)
        fail_msg("docs/API.md: the section of %s is not what its declaration says; " UPDATE,
                 tool->route);
    xpd_strbuf_fini(&made);
}

static void every_tool_has_a_section(void **state)
{
    (void)state;
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++) {
        char *section = section_of(tools[i]->route);
        if (!section)
            fail_msg("docs/API.md has no section ## %s", tools[i]->route);
        if (strncmp(section, tools[i]->title, strlen(tools[i]->title) - 1) != 0)
            fail_msg("the section of %s does not begin with its title: %s", tools[i]->route,
                     tools[i]->title);
        check_declared(tools[i], section);
        for (const struct xpd_param_spec *spec = tools[i]->params; spec && spec->name; spec++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "`%s`", spec->name);
            if (!strstr(section, quoted))
                fail_msg("the section of %s does not name the parameter %s", tools[i]->route,
                         quoted);
        }
        free(section);
    }
}

static void every_section_has_a_tool(void **state)
{
    (void)state;
    int sections = 0;
    for (const char *at = strstr(document, "\n## "); at; at = strstr(at + 1, "\n## ")) {
        const char *route = at + 4;
        struct xpd_str name = {route, strcspn(route, "\n")};
        if (!xpd_tool_find(name))
            fail_msg("docs/API.md has a section for %.*s, which is no tool", (int)name.size,
                     name.data);
        sections++;
    }
    assert_true(sections > 10);
}

static void files_of_the_page_follow_from_the_declarations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof page_file / sizeof *page_file; i++) {
        struct xpd_strbuf made = {0};
        size_t size;
        page_file[i].make(&made);
        char *text = read_source(page_file[i].name, &size);
        assert_non_null(text);
        if (size != made.size || memcmp(text, made.data, size) != 0)
            fail_msg("%s is not what the declarations say; " UPDATE, page_file[i].name);
        free(text);
        xpd_strbuf_fini(&made);
    }
}

static void openapi_describes_every_route(void **state)
{
    (void)state;
    struct xpd_strbuf made = {0};
    xpd_api_openapi(&made);
    struct xpd_json *doc = xpd_json_parse_answer((struct xpd_str){made.data, made.size});
    assert_non_null(doc);
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    const struct xpd_json *paths = xpd_json_member(doc, "paths");
    for (uint32_t i = 0; i < count; i++)
        assert_non_null(xpd_json_member(xpd_json_member(paths, tools[i]->route), "get"));
    xpd_json_free(doc);
    xpd_strbuf_fini(&made);
}

/* A number that is an amount; one in a unit of the answer's own (`q` of trace/window) says which.
 */
static bool is_amount(const struct xpd_record_field *field)
{
    bool number = field->kind == XPD_INT || field->kind == XPD_SIGNED || field->kind == XPD_COUNT ||
                  field->kind == XPD_INDEX || field->kind == XPD_BIG || field->kind == XPD_REAL;
    return number && strncmp(field->help, "in `", 4) != 0;
}

/* A key that names an amount says in what. */
static void check_keys(void *self, const struct xpd_record *record)
{
    static const char *const bare[] = {"start", "end", "duration", "size", "bytes", "busy", "time"};
    (void)self;
    for (uint32_t i = 0; i < record->count; i++)
        for (size_t k = 0; k < sizeof bare / sizeof *bare; k++)
            if (is_amount(&record->field[i]) && strcmp(record->field[i].key, bare[k]) == 0)
                fail_msg("%s.%s: the key does not end in its unit", record->name, bare[k]);
}

static void keys_end_in_their_unit(void **state)
{
    (void)state;
    xpd_api_each_record(check_keys, NULL);
}

static void every_tool_says_what_it_answers(void **state)
{
    (void)state;
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strncmp(tools[i]->route, "/api/v1/", 8) == 0 && !tools[i]->answer && !tools[i]->content)
            fail_msg("%s: declares neither an answer nor a content", tools[i]->route);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_has_a_section),
        cmocka_unit_test(every_section_has_a_tool),
        cmocka_unit_test(files_of_the_page_follow_from_the_declarations),
        cmocka_unit_test(openapi_describes_every_route),
        cmocka_unit_test(keys_end_in_their_unit),
        cmocka_unit_test(every_tool_says_what_it_answers),
    };
    return cmocka_run_group_tests(tests, read_document, free_document);
}
