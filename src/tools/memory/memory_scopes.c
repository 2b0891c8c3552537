/* /api/v1/memory/scopes: the strip under the chart: which part of the user's program runs where.
 *
 * A label is "forward", "backward" or the first named scope; as the window narrows, the named
 * scopes inside follow. The deepest level whose parts are still wide enough to read is taken. Up to
 * 4 steps are looked at per pixel. */
#include "../common/common.h"

#define PX_DEFAULT   1024
#define PX_MAX       8192
#define LOOKS_PER_PX 4
#define PART_PX_MIN  3  /* narrower parts are joined with their neighbours */
#define PART_PX_READ 60 /* mean width a level must keep to be shown */
#define DEPTH_MAX    6

struct part {
    uint32_t from, to; /* looks */
    uint32_t name;
};

/* What JAX's own machinery adds to a path; it says nothing to the reader of a strip. */
static bool is_machinery(struct xpd_str part)
{
    static const char *const words[] = {"body",      "closed_call",          "checkpoint",
                                        "remat",     "custom_jvp_call",      "custom_vjp_call",
                                        "shard_map", "rematted_computation", "jit(main)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xpd_str_eq(part, xpd_str_of(words[i])))
            return true;
    return false;
}

/* transpose(jvp(block)) is block: the marks are in the phase already. */
static struct xpd_str unwrapped(struct xpd_str part)
{
    static const char *const marks[] = {"transpose(", "jvp(", "jit(", "vmap(", "pjit("};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (xpd_str_starts(part, marks[i]) && part.data[part.size - 1] == ')') {
            size_t skip = strlen(marks[i]);
            return unwrapped((struct xpd_str){part.data + skip, part.size - skip - 1});
        }
    return part;
}

/* Label of a path at a depth: phase, then at most `depth` named scopes. The last part is the
 * operation and is left out; without a phase the first scope is the label of depth 0. */
static void label_of(struct xpd_strbuf *out, struct xpd_str op_name, uint32_t depth)
{
    const char *phase = xpd_tools_phase(op_name);
    uint32_t room = depth + (phase[0] ? 0 : 1), taken = 0;
    struct xpd_str rest = xpd_scope_path(op_name), part;
    xpd_strbuf_clear(out);
    xpd_strbuf_puts(out, phase);
    while (taken < room && xpd_scope_next_part(&rest, &part) && rest.size > 0) {
        part = unwrapped(part);
        if (part.size == 0 || is_machinery(part))
            continue;
        if (out->size > 0)
            xpd_strbuf_putc(out, taken == 0 ? ' ' : '/');
        xpd_strbuf_add(out, part.data, part.size);
        taken++;
    }
}

struct strip {
    const struct xpd_tool_ctx *ctx;
    struct xpd_step_window window;
    uint32_t looks;       /* steps looked at */
    uint32_t small;       /* looks that make PART_PX_MIN pixels */
    struct xpd_str *path; /* op_name of each look */
    struct part *part;
    uint32_t count;
};

static uint32_t step_of(const struct strip *strip, uint32_t look)
{
    uint64_t width = strip->window.to - strip->window.from;
    return strip->window.from + (uint32_t)((uint64_t)look * width / strip->looks);
}

static bool read_paths(struct strip *strip)
{
    bool any = false;
    for (uint32_t i = 0; i < strip->looks; i++) {
        const struct xpd_tool_ctx *ctx = strip->ctx;
        uint32_t running = xpd_mem_running(ctx->mem, ctx->space, step_of(strip, i), NULL);
        strip->path[i] = xpd_tools_op_name(ctx->hlo, running);
        any |= strip->path[i].size > 0;
    }
    return any;
}

/* Runs of equal labels at one depth. Looks without a path belong to what runs around them. */
static void cut(struct strip *strip, struct xpd_names *names, uint32_t depth)
{
    struct xpd_str last_path = {0};
    uint32_t last_name = 0;
    strip->count = 0;
    for (uint32_t i = 0; i < strip->looks; i++) {
        struct xpd_str path = strip->path[i];
        uint32_t name = last_name;
        if (path.size > 0 && !(path.data == last_path.data && path.size == last_path.size)) {
            label_of(&names->scratch, path, depth);
            name = xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
            last_path = path;
        }
        if (strip->count > 0 && strip->part[strip->count - 1].name == name)
            strip->part[strip->count - 1].to = i + 1;
        else
            strip->part[strip->count++] = (struct part){i, i + 1, name};
        last_name = name;
    }
}

/* A run of narrow parts takes the name of its widest; when it is itself too narrow it goes to the
 * part before. */
static void join_narrow(struct strip *strip)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < strip->count;) {
        struct part joined = strip->part[i];
        uint32_t widest = joined.to - joined.from;
        uint32_t next = i + 1;
        if (widest < strip->small)
            for (; next < strip->count &&
                   strip->part[next].to - strip->part[next].from < strip->small;
                 next++) {
                uint32_t width = strip->part[next].to - strip->part[next].from;
                if (width > widest) {
                    widest = width;
                    joined.name = strip->part[next].name;
                }
                joined.to = strip->part[next].to;
            }
        if (kept > 0 &&
            (strip->part[kept - 1].name == joined.name || joined.to - joined.from < strip->small))
            strip->part[kept - 1].to = joined.to;
        else
            strip->part[kept++] = joined;
        i = next;
    }
    strip->count = kept;
}

static void choose_depth(struct strip *strip, struct xpd_names *names, uint32_t px)
{
    uint32_t most = px / PART_PX_READ > 4 ? px / PART_PX_READ : 4;
    uint32_t depth = DEPTH_MAX;
    do {
        xpd_names_fini(names); /* labels of the level before are not in the answer */
        xpd_names_init(names, strip->ctx->arena);
        cut(strip, names, depth);
        join_narrow(strip);
    } while (strip->count > most && depth-- > 0);
}

/* Joined parts leave labels behind that nobody shows; the answer's table has only the others. */
static void write(struct xpd_jsonw *w, const struct strip *strip, struct xpd_names *labels,
                  bool any)
{
    uint32_t n = any ? strip->count : 0;
    struct xpd_names names;
    xpd_names_init(&names, strip->ctx->arena);

    xpd_json_obj(w);
    xpd_json_ktext(w, "source", any ? "op_name" : "none");
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "from", n, xpd_json_u64(w, step_of(strip, strip->part[row].from)));
    XPD_COLUMN(w, "to", n, xpd_json_u64(w, step_of(strip, strip->part[row].to)));
    XPD_COLUMN(w, "name", n,
               xpd_json_u64(w, xpd_names_put(
                                   &names, xpd_intern_get(&labels->table, strip->part[row].name))));
    names.table.failed |= labels->table.failed;
    xpd_names_write(&names, w);
    xpd_json_obj_end(w);
    xpd_names_fini(&names);
}

static int scopes(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct strip strip = {.ctx = ctx};
    int rc = xpd_tools_window(ctx, &xpd_tool_memory_scopes, &strip.window, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t px = (uint32_t)xpd_param_int(ctx, &xpd_tool_memory_scopes, "px");
    uint32_t width = strip.window.to - strip.window.from;
    strip.looks = width < px * LOOKS_PER_PX ? width : px * LOOKS_PER_PX;
    strip.small = (uint32_t)((uint64_t)strip.looks * PART_PX_MIN / px);
    strip.path = XPD_NEW_ARRAY(ctx->arena, struct xpd_str, strip.looks);
    strip.part = XPD_NEW_ARRAY(ctx->arena, struct part, strip.looks);
    if (!strip.path || !strip.part)
        return xpd_tools_no_memory(err);
    struct xpd_names names;
    xpd_names_init(&names, ctx->arena);
    bool any = read_paths(&strip);
    if (any)
        choose_depth(&strip, &names, px);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &strip, &names, any);
    xpd_names_fini(&names);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    {.name = "px",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = PX_MAX,
     .fallback = PX_DEFAULT,
     .help = "width of the strip in pixels"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_scopes = {
    .route = "/api/v1/memory/scopes",
    .title = "The strip: which part of the user's program runs at which steps.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = scopes,
};
