/* How the program ends. Scripts rely on these; docs/xprofd.1 and --help list them. */
#ifndef XPROFD_CLI_EXIT_CODES_H
#define XPROFD_CLI_EXIT_CODES_H

enum xpd_exit {
    XPD_EXIT_OK = 0,
    XPD_EXIT_BROKEN = 1,   /* a check does not hold: a budget, or a finding at --fail-on */
    XPD_EXIT_USAGE = 2,    /* wrong option or argument */
    XPD_EXIT_INPUT = 3,    /* what was asked for does not exist, cannot be read or is damaged */
    XPD_EXIT_PORT = 3,     /* serve cannot start: port in use, or not an address of this machine */
    XPD_EXIT_UNJUDGED = 4, /* a check could not be made: a number it needs is missing */
    XPD_EXIT_INTERNAL = 5, /* out of memory, disk full, or an internal error */
};

#endif
