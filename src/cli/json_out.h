/* What commands print for --json: one object in one line. */
#ifndef XPROFD_CLI_JSON_OUT_H
#define XPROFD_CLI_JSON_OUT_H

#include "profile_args.h"

struct xpd_cli_json { /* in the making; stays where it began */
    struct xpd_strbuf text;
    struct xpd_jsonw w;
};
/* {"schema", "command"; the writer for the rest. */
struct xpd_jsonw *xpd_cli_json_begin(struct xpd_cli_json *out, const char *command);
/* } to stdout; frees the text. */
void xpd_cli_json_end(struct xpd_cli_json *out);

/* {"schema", "command", "exit", "covers", `key`: body} to stdout. */
void xpd_cli_json_answer(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                         const char *command, int code, const char *key, struct xpd_str body);

/* "covers":{path, run, hosts:[{name, file, size_bytes, read, complete}], skipped:[{what, why}]} */
void xpd_cli_json_covers(struct xpd_jsonw *w, const struct xpd_cli_profile *profile,
                         const struct xpd_profile_args *args);
/* "exit":{"code":n,"word":w} of a result code. */
void xpd_cli_json_exit(struct xpd_jsonw *w, int rc);
/* The same of an exit code: "ok", "broken", "bad_format", "not_judged". */
void xpd_cli_json_verdict(struct xpd_jsonw *w, int code);

#endif
