/* xprofd serve: opens the store, starts the server, says where, and waits for the signal to end. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli_samples.h"
#include "profile_args.h"
#include "serve_options.h"
#include "xprofd/base/log.h"
#include "xprofd/cli/command.h"
#include "xprofd/doctor/doctor.h"

#define CONFIG_MAX 16384
/* How long answers that are being sent are waited for after SIGTERM. */
#define GRACE_MS 25000
#define LOOK_MS  20
/* A handler or a load that still computes then is not waited for. ThreadSanitizer takes an end in
 * the middle for a lost thread, and computes ten times as long. */
#ifdef __SANITIZE_THREAD__
#define STOP_LIMIT_MS 20000
#else
#define STOP_LIMIT_MS 500
#endif

static int complain(const struct xpd_err *err, int exit_code)
{
    fprintf(stderr, "xprofd: %s\n", err->text);
    return exit_code;
}

/* A path that is not there is a typing error; one that cannot be read is served, and the page
 * explains. */
static int check_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        const struct xpd_command *near = xpd_command_near(path);
        if (strchr(path, '/'))
            fprintf(stderr, "xprofd: %s does not exist\n", path);
        else if (near)
            fprintf(stderr,
                    "xprofd: %s does not exist, and it is not a command; did you mean %s?\n", path,
                    near->name);
        else
            fprintf(
                stderr,
                "xprofd: %s does not exist, and it is not a command; xprofd --help lists them\n",
                path);
        return XPD_EXIT_INPUT;
    }
    return XPD_EXIT_OK;
}

static void warn_root(struct xpd_store *store)
{
    struct xpd_catalog *catalog = xpd_store_catalog(store, INT64_MAX);
    if (!catalog)
        return;
    if (catalog->root_problem)
        xpd_log(XPD_LOG_WARNING, "%s: %s", catalog->root, catalog->root_problem);
    xpd_catalog_release(catalog);
}

static void print_where(const struct xpd_server_options *options, unsigned port)
{
    bool brackets = strchr(options->bind, ':') != NULL;
    if (options->socket_path)
        printf("unix:%s", options->socket_path);
    else
        printf("http://%s%s%s:%u%s/", brackets ? "[" : "", options->bind, brackets ? "]" : "", port,
               options->base_path ? options->base_path : "");
}

static void print_ready(const struct xpd_serve_options *options, const struct xpd_server *server)
{
    const char *bind = options->server.bind;
    bool brackets = strchr(bind, ':') != NULL;
    unsigned port = xpd_server_port(server);
    fputs("xprofd: serving ", stdout);
    for (const char *c = options->path; *c; c++) /* one line, regardless of the path */
        putchar((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
    fputs(" at ", stdout);
    print_where(&options->server, port);
    putchar('\n');
    fflush(stdout);
    if (!xpd_server_is_loopback(server) && !options->server.token)
        xpd_log(XPD_LOG_WARNING,
                "bound to %s: every machine that can reach this one can read these profiles "
                "without a password (set one with --token)",
                bind);
    else if (xpd_server_is_loopback(server) && !options->server.socket_path && !options->log_json &&
             getenv("SSH_CONNECTION"))
        fprintf(stderr,
                "xprofd: from your own machine: ssh -L %u:%s%s%s:%u THIS-HOST, then open "
                "http://localhost:%u%s/\n",
                port, brackets ? "[" : "", bind, brackets ? "]" : "", port, port,
                options->server.base_path ? options->server.base_path : "");
}

static void end_now(int signal_number)
{
    (void)signal_number;
    _exit(XPD_EXIT_OK);
}

/* Nothing is written anywhere, so there is nothing to lose by ending in the middle. */
static void limit_stop(void)
{
    struct sigaction action = {.sa_handler = end_now};
    struct itimerval limit = {
        .it_value = {.tv_sec = STOP_LIMIT_MS / 1000, .tv_usec = STOP_LIMIT_MS % 1000 * 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &limit, NULL);
}

static void look_again(struct xpd_store *store)
{
    struct xpd_catalog *catalog = xpd_store_catalog(store, 0);
    if (catalog)
        xpd_log(XPD_LOG_INFO, "rescanned %s: %u run%s", catalog->root, catalog->run_count,
                catalog->run_count == 1 ? "" : "s");
    xpd_catalog_release(catalog);
}

/* Waits for answers being sent; a second signal stops waiting. */
static void finish_sending(struct xpd_server *server, const sigset_t *signals)
{
    xpd_server_drain(server);
    const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
    for (int waited = 0; waited < GRACE_MS && xpd_server_in_flight(server) > 0; waited += LOOK_MS) {
        int number = sigtimedwait(signals, NULL, &look);
        if (number > 0 && number != SIGHUP)
            return;
    }
}

/* Until a signal ends it: SIGTERM with what is being sent, SIGINT at once. */
static void wait_for_end(struct xpd_server *server, struct xpd_store *store,
                         const sigset_t *signals)
{
    int number = 0;
    while (number != SIGTERM && number != SIGINT) {
        if (sigwait(signals, &number) != 0)
            number = 0;
        if (number == SIGHUP)
            look_again(store);
    }
    xpd_log(XPD_LOG_DEBUG, "stopping on signal %d", number);
    if (number == SIGTERM)
        finish_sending(server, signals);
    limit_stop();
}

static int serve(const struct xpd_serve_options *options, struct xpd_store *store,
                 const sigset_t *signals)
{
    struct xpd_server *server;
    struct xpd_err err = {0};
    int rc = xpd_server_start(&server, &options->server, store, &err);
    if (rc == XPD_EBUSY || (rc == XPD_EINVAL && (strcmp(err.where, "--bind") == 0 ||
                                                 strcmp(err.where, "--socket") == 0)))
        return complain(&err, XPD_EXIT_PORT);
    if (rc != XPD_OK)
        return complain(&err, xpd_cli_exit_code(rc));
    print_ready(options, server);
    warn_root(store);
    wait_for_end(server, store, signals);
    xpd_server_stop(server);
    return XPD_EXIT_OK;
}

/* The file of --config, read once and checked here, so that no answer fails because of it. */
static int read_config(struct xpd_serve_options *options, struct xpd_strbuf *text)
{
    struct xpd_arena arena = {0};
    struct xpd_doctor_config config;
    struct xpd_err err = {0};
    if (!options->config)
        return XPD_EXIT_OK;
    int rc = xpd_cli_read_file(options->config, CONFIG_MAX, text, &err);
    if (rc == XPD_OK)
        rc = xpd_doctor_config_read(&config,
                                    (struct xpd_str){text->data ? text->data : "", text->size},
                                    options->config, &arena, &err);
    xpd_arena_fini(&arena);
    if (rc != XPD_OK) {
        fprintf(stderr, "xprofd: %s: %s\n", err.where[0] ? err.where : options->config, err.text);
        return xpd_cli_exit_code(rc);
    }
    xpd_strbuf_putc(text, '\0');
    options->server.doctor_config = text->data;
    return XPD_EXIT_OK;
}

/* The first line of --token-file. */
static int read_token(struct xpd_serve_options *options, struct xpd_strbuf *text)
{
    struct xpd_err err = {0};
    if (!options->token_file)
        return XPD_EXIT_OK;
    int rc = xpd_cli_read_file(options->token_file, CONFIG_MAX, text, &err);
    if (rc == XPD_OK) {
        xpd_strbuf_putc(text, '\0');
        text->data[strcspn(text->data, "\r\n")] = '\0';
        options->server.token = text->data;
        rc = xpd_token_check(text->data, &err);
    }
    if (rc == XPD_OK)
        return XPD_EXIT_OK;
    fprintf(stderr, "xprofd: %s: %s\n", options->token_file, err.text);
    return xpd_cli_exit_code(rc);
}

static int run_store(struct xpd_serve_options *options)
{
    sigset_t signals; /* blocked before any thread starts, so that only sigwait sees them */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    struct xpd_store *store;
    struct xpd_err err = {0};
    options->store.sample = xpd_cli_samples(&options->store.sample_count);
    /* The page names the folder and puts it into recipes: "." would mean nothing there. */
    char *whole = realpath(options->path, NULL);
    int rc = xpd_store_open(&store, whole ? whole : options->path, &options->store, &err);
    free(whole);
    if (rc != XPD_OK)
        return complain(&err, xpd_cli_exit_code(rc));
    int exit_code = serve(options, store, &signals);
    xpd_store_close(store);
    return exit_code;
}

static int run_serve(int argc, char **argv)
{
    struct xpd_serve_options options;
    int exit_code;
    if (!xpd_serve_options_parse(argc, argv, &options, &exit_code))
        return exit_code;
    xpd_log_set_level(options.verbose ? XPD_LOG_DEBUG : XPD_LOG_WARNING);
    if (options.log_json)
        xpd_server_log_json();
    exit_code = check_path(options.path);
    if (exit_code != XPD_EXIT_OK)
        return exit_code;

    struct xpd_strbuf config = {0}, token = {0};
    exit_code = read_config(&options, &config);
    if (exit_code == XPD_EXIT_OK)
        exit_code = read_token(&options, &token);
    if (exit_code == XPD_EXIT_OK)
        exit_code = run_store(&options);
    xpd_strbuf_fini(&token);
    xpd_strbuf_fini(&config);
    return exit_code;
}

const struct xpd_command xpd_command_serve = {
    .name = "serve",
    .help = "serve the page (the default command)",
    .run = run_serve,
};
