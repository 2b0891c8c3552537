/* What the commands about one profile share: opening it, choosing run and module, calling tools. */
#ifndef XPROFD_CLI_PROFILE_ARGS_H
#define XPROFD_CLI_PROFILE_ARGS_H

#include "xprofd/tools/tool.h"
#include <stdio.h>

enum xpd_output { XPD_OUT_TEXT, XPD_OUT_JSON, XPD_OUT_CSV, XPD_OUT_MD };

enum { XPD_CLI_WORDS = 3 };

struct xpd_profile_args {
    const char *path;                /* positional, required */
    const char *path2;               /* second positional, of commands that compare */
    const char *word[XPD_CLI_WORDS]; /* behind the path, of commands that take any */
    int word_count;
    const char *run;                         /* --run, when the path holds several */
    const char *host;                        /* --host */
    const char *module;                      /* --module */
    const char *program;                     /* --program: the steps are its runs */
    const char *base_module;                 /* --base-module, of commands that compare */
    const char *diff;                        /* --diff: a second profile to compare with */
    const char *space;                       /* --space: a number, a name or "all" */
    const char *format;                      /* --format, of the command's own words */
    const char *node;                        /* --node: an instruction or a computation */
    const char *fail_on;                     /* --fail-on: error, warn or info */
    const char *config;                      /* --config: a file of thresholds and silences */
    const char *budget;                      /* --budget: a file of limits */
    const char *sarif, *junit;               /* --sarif, --junit: files to write */
    const char *slack;                       /* --slack: room that new limits get, "5%" */
    bool update, strict, ascii;              /* --update, --strict, --ascii */
    bool time;                               /* --time: findings of time only */
    bool over_time, fail_on_leak;            /* --over-time, --fail-on-leak, of memory */
    const char *at, *against;                /* --at, --against: times of --over-time */
    const char *device;                      /* --device: whose peaks */
    const char *peak_flops, *peak_bandwidth; /* --peak-flops, --peak-bandwidth */
    const char *mesh;                        /* --mesh: axes of the devices */
    const char *sharding;                    /* --sharding: how an array lies over them */
    bool metadata;                           /* --metadata */
    const char *file;                        /* -o, of commands that write one; "-" = stdout */
    const char *web_dir;                     /* --web-dir: a built page instead of the program's */
    int64_t max_bytes;                       /* --max-size; -1 = default */
    int64_t width;                           /* --width; -1 = default */
    int64_t hbm_bytes;                       /* --hbm; -1 = not given */
    int64_t top;                             /* --top; -1 = default */
    int64_t step;                            /* --step; -1 = the peak */
    enum xpd_output output;
    bool has_output; /* it was given; else the command's own */
    bool help;
};

/* Of the table of chips, or NULL; else XPD_EINVAL, which names the nearest. */
int xpd_cli_check_device(const char *device, struct xpd_err *err);
/* The word of the parameter `format`. */
struct xpd_str xpd_cli_format_word(enum xpd_output output);
/* Parses the options after the command's name. XPD_EINVAL with the option in `where`, also for one
 * that `help`, the text of this command, does not name. */
int xpd_profile_args_parse(struct xpd_profile_args *args, const char *help, int argc, char **argv,
                           struct xpd_err *err);
/* The same with -o. */
int xpd_profile_args_parse_file(struct xpd_profile_args *args, const char *help, int argc,
                                char **argv, struct xpd_err *err);
/* As xpd_profile_args_parse; arguments after the path go into word[], at most `words`. */
int xpd_profile_args_parse_words(struct xpd_profile_args *args, const char *help, int words,
                                 int argc, char **argv, struct xpd_err *err);
/* The same with up to `paths` profiles. */
int xpd_profile_args_parse_paths(struct xpd_profile_args *args, const char *help, int paths,
                                 int argc, char **argv, struct xpd_err *err);
/* A small text file, at most `limit` bytes, NUL-terminated; free() it. */
int xpd_cli_read_file(const char *path, size_t limit, struct xpd_strbuf *out, struct xpd_err *err);
/* Writes a file that the user named; "-" is stdout. */
int xpd_cli_write_file(const char *path, struct xpd_str text, struct xpd_err *err);
/* One that is not whole is of no use; only a regular file is ever removed, never a device. */
void xpd_cli_remove_file(const char *path);
bool xpd_cli_is_stdout(const char *path); /* "-"; not NULL */
/* Whether --sarif or --junit is on stdout, in place of the text. */
bool xpd_cli_stdout_taken(const struct xpd_profile_args *args);
/* XPD_EINVAL when two answers would be on stdout. */
int xpd_cli_check_stdout(const struct xpd_profile_args *args, struct xpd_err *err);

/* An opened profile: the store, the one run of it that the options mean, held until close. */
struct xpd_cli_profile {
    struct xpd_store *store;
    const struct xpd_run *run;
};
/* XPD_EINVAL when a file to write (NULL: none) is a folder or one of the profile's own, which
 * writing would destroy; `option` named it. The second: the files of --sarif and --junit. */
int xpd_cli_check_target(const struct xpd_cli_profile *profile, const char *option,
                         const char *path, struct xpd_err *err);
int xpd_cli_check_targets(const struct xpd_cli_profile *profile,
                          const struct xpd_profile_args *args, struct xpd_err *err);
int xpd_cli_open(struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err);
/* The run of --diff's profile: the only one, or the one that --run names. The store's own. */
int xpd_cli_base_run(struct xpd_store *store, const struct xpd_profile_args *args, const char **id,
                     struct xpd_err *err);
void xpd_cli_close(struct xpd_cli_profile *profile);
/* Whether a file of the run could be read at all; what else it holds is then worth saying. */
bool xpd_cli_any_read(const struct xpd_run *run);

/* XPD_OK when there are modules, else why not. */
int xpd_cli_require_modules(const struct xpd_cli_profile *profile, struct xpd_err *err);
/* The one --module names, else the default one of the run. */
int xpd_cli_pick_module(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                        uint32_t *module, struct xpd_err *err);

/* Writes text from a file or an argument for a terminal: control characters and broken UTF-8 become
 * '?'; at most `limit` bytes. Returns the characters written. */
size_t xpd_cli_put(FILE *out, struct xpd_str text, size_t limit);

/* Calls a tool for the run and module; the body is appended to `out`. */
int xpd_cli_call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 const char *route, const char *module, int64_t color, const struct xpd_param *more,
                 uint32_t more_count, struct xpd_strbuf *out, struct xpd_err *err);

/* The answer of a tool that declares it goes to `use`, while the run is held. */
int xpd_cli_use(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const char *route, const char *module, const struct xpd_param *more,
                uint32_t more_count,
                int (*use)(void *self, const struct xpd_record *record, const void *answer,
                           struct xpd_err *err),
                void *self, struct xpd_err *err);

/* The body to stdout, while it is made. */
int xpd_cli_print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  const char *route, const char *module, const struct xpd_param *more,
                  uint32_t more_count, struct xpd_err *err);
/* Writes a streamed answer and closes it. */
int xpd_cli_write_source(const struct xpd_body_source *source, FILE *file, struct xpd_err *err);

/* Exit code of a result code, and its word; one table (cli/exit_codes.h). */
int xpd_cli_exit_code(int rc);

/* A command about the modules of one profile: reads its options, opens, prints. Its exit code. */
int xpd_cli_run(const char *command, const char *help, int argc, char **argv,
                int (*print)(const struct xpd_cli_profile *profile,
                             const struct xpd_profile_args *args, struct xpd_err *err));

/* The same for commands whose exit code is an answer (a check that does not hold). Whether there
 * have to be modules is theirs to say (xpd_cli_require_modules). */
int xpd_cli_run_code(const char *command, const char *help, int argc, char **argv,
                     int (*print)(const struct xpd_cli_profile *profile,
                                  const struct xpd_profile_args *args, int *code,
                                  struct xpd_err *err));
/* xpd_cli_put line by line, without a limit. On a terminal (and without NO_COLOR, TERM=dumb) the
 * word of a line that carries its verdict is coloured: error, BROKEN, new, +; warn; ok, gone, -. */
void xpd_cli_put_lines(FILE *out, struct xpd_str text);

/* Prints the error as the chosen output wants it and returns the exit code. */
int xpd_cli_fail(const struct xpd_profile_args *args, const char *command,
                 const struct xpd_err *err);

#endif
