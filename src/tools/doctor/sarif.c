/* What every SARIF document of ours has in common. In: a JSON writer. Out: the frame around the
 * results. */
#include "sarif.h"
#include "xprofd/base/build.h"

void xpd_sarif_begin(struct xpd_jsonw *w)
{
    xpd_json_obj(w);
    xpd_json_ktext(w, "version", "2.1.0");
    xpd_json_ktext(w, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    xpd_json_key(w, "runs");
    xpd_json_arr(w);
    xpd_json_obj(w);
    xpd_json_key(w, "tool");
    xpd_json_obj(w);
    xpd_json_key(w, "driver");
    xpd_json_obj(w);
    xpd_json_ktext(w, "name", "xprofd");
    xpd_json_ktext(w, "version", xpd_version());
}

void xpd_sarif_results(struct xpd_jsonw *w)
{
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
    xpd_json_key(w, "results");
    xpd_json_arr(w);
}

void xpd_sarif_end(struct xpd_jsonw *w)
{
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

void xpd_sarif_message(struct xpd_jsonw *w, struct xpd_str text)
{
    xpd_json_key(w, "message");
    xpd_json_obj(w);
    xpd_json_kstr(w, "text", text);
    xpd_json_obj_end(w);
}

/* A path as a URI reference (RFC 3986), which SARIF wants: files may be called anything. */
static void put_uri(struct xpd_jsonw *w, struct xpd_str path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/!$&'()*+,;=@";
    struct xpd_strbuf text = {0};
    for (size_t i = 0; i < path.size; i++) {
        char c = path.data[i];
        if (c != '\0' && strchr(plain, c))
            xpd_strbuf_putc(&text, c);
        else
            xpd_strbuf_printf(&text, "%%%02X", (unsigned)(unsigned char)c);
    }
    xpd_json_kstr(w, "uri", (struct xpd_str){text.data ? text.data : "", text.size});
    xpd_strbuf_fini(&text);
}

void xpd_sarif_place(struct xpd_jsonw *w, struct xpd_str file, int64_t line)
{
    xpd_json_key(w, "physicalLocation");
    xpd_json_obj(w);
    xpd_json_key(w, "artifactLocation");
    xpd_json_obj(w);
    put_uri(w, file);
    xpd_json_obj_end(w);
    if (line > 0) {
        xpd_json_key(w, "region");
        xpd_json_obj(w);
        xpd_json_ki64(w, "startLine", line);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}
