/* /api/v1/openapi.json: all routes for programs, as OpenAPI 3.1. */
#include "../common/common.h"
#include "xprofd/base/build.h"
#include "xprofd/tools/api.h"

static void put_ref(struct xpd_jsonw *w, const struct xpd_record *record)
{
    char name[80], ref[128];
    xpd_api_type_name(name, record->name);
    snprintf(ref, sizeof ref, "#/components/schemas/%s", name);
    xpd_json_kstr(w, "$ref", xpd_str_of(ref));
}

/* "type": "x", or ["x", "null"]. */
static void put_type(struct xpd_jsonw *w, const char *type, bool maybe)
{
    xpd_json_key(w, "type");
    if (!maybe) {
        xpd_json_text(w, type);
        return;
    }
    xpd_json_arr(w);
    xpd_json_text(w, type);
    xpd_json_text(w, "null");
    xpd_json_arr_end(w);
}

static void put_words(struct xpd_jsonw *w, const char *words, bool maybe)
{
    xpd_json_key(w, "enum");
    xpd_json_arr(w);
    for (const char *at = words; *at;) {
        size_t size = strcspn(at, " ");
        xpd_json_str(w, (struct xpd_str){at, size});
        at += size + strspn(at + size, " ");
    }
    if (maybe)
        xpd_json_null(w);
    xpd_json_arr_end(w);
}

static void put_single(struct xpd_jsonw *w, const struct xpd_record_field *field,
                       enum xpd_kind kind, bool maybe)
{
    switch (kind) {
    case XPD_BOOL:
    case XPD_FLAG: put_type(w, "boolean", maybe); break;
    case XPD_REAL: put_type(w, "number", true); break;
    case XPD_TEXT:
    case XPD_STRING: put_type(w, "string", maybe); break;
    case XPD_WORD: put_words(w, field->words, maybe); break;
    case XPD_BIG:
    case XPD_ID:
        put_type(w, "string", maybe);
        xpd_json_ktext(w, "pattern", "^-?[0-9]+$");
        break;
    default: put_type(w, "integer", maybe);
    }
}

static void put_columns(struct xpd_jsonw *w, const struct xpd_record *record);

/* The members of a schema of this field's value. */
static void put_schema(struct xpd_jsonw *w, const struct xpd_record_field *field)
{
    bool maybe = field->maybe;
    if (field->kind < XPD_OBJECT) {
        put_single(w, field, field->kind, maybe);
    } else if (field->kind == XPD_OBJECT && maybe) {
        xpd_json_key(w, "oneOf");
        xpd_json_arr(w);
        xpd_json_obj(w);
        put_ref(w, field->of());
        xpd_json_obj_end(w);
        xpd_json_raw(w, XPD_STR("{\"type\":\"null\"}"));
        xpd_json_arr_end(w);
    } else if (field->kind == XPD_OBJECT) {
        put_ref(w, field->of());
    } else if (field->kind == XPD_COLUMNS) {
        put_type(w, "object", maybe);
        xpd_json_key(w, "properties");
        xpd_json_obj(w);
        put_columns(w, field->of());
        xpd_json_obj_end(w);
    } else {
        put_type(w, "array", maybe);
        xpd_json_key(w, "items");
        xpd_json_obj(w);
        if (field->kind == XPD_LIST)
            put_ref(w, field->of());
        else
            put_single(w, field, field->item, maybe);
        xpd_json_obj_end(w);
    }
    if (*field->help)
        xpd_json_ktext(w, "description", field->help);
    if (*xpd_key_unit(field->key))
        xpd_json_ktext(w, "x-unit", xpd_key_unit(field->key));
}

static void put_columns(struct xpd_jsonw *w, const struct xpd_record *record)
{
    xpd_json_key(w, "n");
    xpd_json_raw(w, XPD_STR("{\"type\":\"integer\"}"));
    for (uint32_t i = 0; i < record->count; i++) {
        xpd_json_key(w, record->field[i].key);
        xpd_json_obj(w);
        put_type(w, "array", false);
        xpd_json_key(w, "items");
        xpd_json_obj(w);
        put_schema(w, &record->field[i]);
        xpd_json_obj_end(w);
        xpd_json_obj_end(w);
    }
}

static void put_record(void *self, const struct xpd_record *record)
{
    struct xpd_jsonw *w = self;
    char name[80];
    xpd_api_type_name(name, record->name);
    xpd_json_key(w, name);
    xpd_json_obj(w);
    put_type(w, "object", false);
    xpd_json_key(w, "properties");
    xpd_json_obj(w);
    for (uint32_t i = 0; i < record->count; i++) {
        if (record->field[i].kind == XPD_INLINE) {
            put_columns(w, record->field[i].of());
            continue;
        }
        xpd_json_key(w, record->field[i].key);
        xpd_json_obj(w);
        put_schema(w, &record->field[i]);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void put_param(struct xpd_jsonw *w, const struct xpd_param_spec *spec)
{
    bool whole = spec->type == XPD_PARAM_INT;
    xpd_json_obj(w);
    xpd_json_ktext(w, "name", spec->name);
    xpd_json_ktext(w, "in", "query");
    xpd_json_kbool(w, "required", spec->required);
    xpd_json_ktext(w, "description", spec->help);
    xpd_json_key(w, "schema");
    xpd_json_obj(w);
    if (spec->type == XPD_PARAM_ENUM)
        put_words(w, spec->words, false);
    else
        put_type(w,
                 whole                            ? "integer"
                 : spec->type == XPD_PARAM_DOUBLE ? "number"
                                                  : "string",
                 false);
    if (whole && spec->min > INT64_MIN)
        xpd_json_ki64(w, "minimum", spec->min);
    if (whole && spec->max < UINT32_MAX)
        xpd_json_ki64(w, "maximum", spec->max);
    if (whole && spec->fallback)
        xpd_json_ki64(w, "default", spec->fallback);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

/* The parameters that xpd_tool_call reads for the tool. */
static const struct xpd_param_spec common[] = {
    {.name = "run",
     .type = XPD_PARAM_TEXT,
     .help = "id of /api/v1/runs; optional if there is only one run"},
    {.name = "only",
     .type = XPD_PARAM_TEXT,
     .help = "names of hosts, separated by commas; other hosts are not read"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "name of a host; the default module is one of its modules"},
    {.name = "module",
     .type = XPD_PARAM_TEXT,
     .help =
         "key name(program id), or a name that is unique; default: the one with the largest peak"},
    {.name = "hbm", .type = XPD_PARAM_SIZE, .help = "capacity in bytes, also with a unit: 16GiB"},
    {.name = "space",
     .type = XPD_PARAM_INT,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "colour of the memory space; default: the main one"},
};

static void put_params(struct xpd_jsonw *w, const struct xpd_tool *tool)
{
    /* How many of `common` go with what a tool needs. */
    static const uint32_t shared[] = {[XPD_NEEDS_NOTHING] = 0,
                                      [XPD_NEEDS_CATALOG] = 0,
                                      [XPD_NEEDS_RUN] = 2,
                                      [XPD_NEEDS_MODULE] = 5,
                                      [XPD_NEEDS_SPACE] = 6};
    xpd_json_key(w, "parameters");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < shared[tool->needs]; i++)
        put_param(w, &common[i]);
    for (const struct xpd_param_spec *spec = tool->params; spec && spec->name; spec++)
        put_param(w, spec);
    xpd_json_arr_end(w);
}

/* What is not a described JSON: its types, without a schema. */
static void put_content(struct xpd_jsonw *w, const char *types)
{
    xpd_json_key(w, "content");
    xpd_json_obj(w);
    for (const char *at = types; *at;) {
        char type[48];
        int size = (int)strcspn(at, " ");
        snprintf(type, sizeof type, "%.*s", size, at);
        xpd_json_key(w, type);
        xpd_json_raw(w, XPD_STR("{}"));
        at += size;
        at += strspn(at, " ");
    }
    xpd_json_obj_end(w);
}

static void put_response(struct xpd_jsonw *w, const struct xpd_tool *tool)
{
    xpd_json_key(w, "200");
    xpd_json_obj(w);
    xpd_json_ktext(w, "description", "the answer");
    if (tool->content)
        put_content(w, tool->content);
    if (tool->answer) {
        xpd_json_key(w, "content");
        xpd_json_obj(w);
        xpd_json_key(w, "application/json");
        xpd_json_obj(w);
        xpd_json_key(w, "schema");
        xpd_json_obj(w);
        put_ref(w, tool->answer());
        xpd_json_obj_end(w);
        xpd_json_obj_end(w);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}

static void put_route(struct xpd_jsonw *w, const struct xpd_tool *tool)
{
    xpd_json_key(w, tool->route);
    xpd_json_obj(w);
    xpd_json_key(w, "get");
    xpd_json_obj(w);
    xpd_json_ktext(w, "summary", tool->title);
    if (tool->about)
        xpd_json_ktext(w, "description", tool->about);
    put_params(w, tool);
    xpd_json_key(w, "responses");
    xpd_json_obj(w);
    put_response(w, tool);
    xpd_json_key(w, "202");
    xpd_json_raw(w, XPD_STR("{\"description\":\"the run is being read; ask again\"}"));
    xpd_json_key(w, "default");
    xpd_json_raw(
        w, XPD_STR("{\"description\":\"an error: {error: {code, message, where, offset}}\"}"));
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

void xpd_api_openapi(struct xpd_strbuf *out)
{
    struct xpd_jsonw writer, *w = &writer;
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    xpd_jsonw_init(w, out);
    xpd_json_obj(w);
    xpd_json_ktext(w, "openapi", "3.1.0");
    xpd_json_key(w, "info");
    xpd_json_obj(w);
    xpd_json_ktext(w, "title", "xprofd");
    xpd_json_ktext(w, "version", xpd_version());
    xpd_json_obj_end(w);
    xpd_json_key(w, "paths");
    xpd_json_obj(w);
    for (uint32_t i = 0; i < count; i++)
        put_route(w, tools[i]);
    xpd_json_obj_end(w);
    xpd_json_key(w, "components");
    xpd_json_obj(w);
    xpd_json_key(w, "schemas");
    xpd_json_obj(w);
    xpd_api_each_record(put_record, w);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static int openapi(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)ctx;
    (void)err;
    xpd_api_openapi(&out->body);
    return XPD_OK;
}

const struct xpd_tool xpd_tool_openapi = {
    .route = "/api/v1/openapi.json",
    .title = "This API as an OpenAPI 3.1 document.",
    .needs = XPD_NEEDS_NOTHING,
    .content = "application/json",
    .about = "Routes whose answer is not described yet say their parameters only.",
    .run = openapi,
};
