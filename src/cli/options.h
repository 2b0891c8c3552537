/* Options of a command: declared in a table, read into a struct; what is wrong with one, in words.
 */
#ifndef XPROFD_CLI_OPTIONS_H
#define XPROFD_CLI_OPTIONS_H

#include "profile_args.h"
#include <stddef.h>

/* The member of the command's arguments that an option sets. */
enum xpd_option_kind {
    XPD_OPTION_FLAG,   /* bool */
    XPD_OPTION_TEXT,   /* const char * */
    XPD_OPTION_NUMBER, /* int64_t from min to max */
    XPD_OPTION_SIZE,   /* int64_t, bytes, above 0 */
    XPD_OPTION_FORM,   /* none: the output is `form` */
    XPD_OPTION_OTHER   /* filled by `take` */
};
struct xpd_option {   /* the last one has no name */
    const char *name; /* "--top", "-o" */
    enum xpd_option_kind kind;
    enum xpd_output form;
    size_t at; /* of the member */
    int64_t min, max;
    int (*take)(void *args, const struct xpd_option *option, const char *text, struct xpd_err *err);
};
#define XPD_OPTION(kind_, type, member, name_)                                                     \
    .name = (name_), .kind = XPD_OPTION_##kind_, .at = offsetof(type, member)
#define XPD_OPTION_FORM_OF(name_, form_)                                                           \
    {                                                                                              \
        .name = (name_), .kind = XPD_OPTION_FORM, .form = (form_)                                  \
    }

/* Reads the options and --help; getopt's optind is then at the first argument that is none. `args`
 * begins with a struct xpd_profile_args. XPD_EINVAL with the option in `where`; of an unknown one
 * the nearest that `help` names. */
int xpd_options_read(void *args, const struct xpd_option *options, const char *help, int argc,
                     char **argv, struct xpd_err *err);

/* All commands read the same options: XPD_EINVAL for one that the help of this command does not
 * name, as it would be taken and do nothing. Its beginning is enough, as for getopt. */
int xpd_cli_options_belong(const char *help, int argc, char **argv, struct xpd_err *err);

/* Whether a word is likely a slip of the keyboard for another: one letter off, two in words above
 * five. */
bool xpd_cli_looks_like(struct xpd_str typed, struct xpd_str word);

#endif
