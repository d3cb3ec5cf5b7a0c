/* Runs one PHP script in many threads of one process, several requests in each, as a threaded server does.
   usage: threads SCRIPT THREADS REQUESTS    (php.ini is found through PHPRC)
   The script sees $_SERVER["THREAD"] and ["REQUEST"]; a request that does not end with "ok" makes the status 1. */
#include <pthread.h>
#include <sapi/embed/php_embed.h>

static const char *script;
static int requests, failures;

static __thread char output[4096];
static __thread size_t written;
static __thread int thread_number, request_number;

static size_t collect(const char *text, size_t length) {
    size_t room = sizeof output - 1 - written;
    size_t n = length < room ? length : room;
    memcpy(output + written, text, n);
    written += n;
    output[written] = 0;
    return length;
}

static void variables(zval *server) {
    char number[16];
    snprintf(number, sizeof number, "%d", thread_number);
    php_register_variable("THREAD", number, server);
    snprintf(number, sizeof number, "%d", request_number);
    php_register_variable("REQUEST", number, server);
}

static void serve(void) {
    zend_file_handle file;
    written = 0;
    output[0] = 0;
    if (php_request_startup() == FAILURE) {
        __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
        return;
    }
    zend_first_try {
        zend_stream_init_filename(&file, script);
        php_execute_script(&file);
    } zend_end_try();
    php_request_shutdown(NULL);
    /* What ends early on purpose says so; only silence and diagnostics are failures. */
    if (written < 2 || strcmp(output + written - 2, "ok") != 0) {
        fprintf(stderr, "thread %d, request %d: %s\n", thread_number, request_number, output);
        __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
    }
}

static void *worker(void *number) {
    thread_number = (int)(size_t)number;
    (void)ts_resource(0);
    for (request_number = 0; request_number < requests; request_number++) serve();
    ts_free_thread();
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    script = argv[1];
    int threads = atoi(argv[2]);
    requests = atoi(argv[3]);
    php_embed_module.ub_write = collect;
    php_embed_module.register_server_variables = variables;
    if (php_embed_init(0, NULL) == FAILURE) return 3;
    php_request_shutdown(NULL); /* the main thread serves nothing */
    pthread_t ids[64];
    for (int i = 0; i < threads && i < 64; i++) pthread_create(&ids[i], NULL, worker, (void *)(size_t)i);
    for (int i = 0; i < threads && i < 64; i++) pthread_join(ids[i], NULL);
    php_request_startup(); /* php_embed_shutdown ends one */
    php_embed_shutdown();
    printf("%d threads, %d requests each: %d failed\n", threads, requests, failures);
    return failures != 0;
}
