/* docs/API.md against tools.def: a section for every route and a route for every section, every
 * parameter named, every title said. */
#include "tool_call.h"

static char *document;

static int read_document(void **state)
{
    (void)state;
    char path[600];
    const char *source = getenv("XPD_SOURCE");
    snprintf(path, sizeof path, "%s/docs/API.md", source ? source : ".");
    FILE *in = fopen(path, "rb");
    if (!in)
        return -1;
    document = calloc(1, 1 << 20);
    size_t size = document ? fread(document, 1, (1 << 20) - 1, in) : 0;
    fclose(in);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_has_a_section),
        cmocka_unit_test(every_section_has_a_tool),
    };
    return cmocka_run_group_tests(tests, read_document, free_document);
}
