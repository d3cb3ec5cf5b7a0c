/* Writes SIZE bytes to FILE in blocks: FORM is stdio, stdio-1m (a buffer of 1 MiB) or write.
   Prints the nanoseconds until the last write returned, and those that fsync then took.
   usage: write FORM BLOCK SIZE FILE */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int fail(const char *what) {
    perror(what);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    size_t block = strtoull(argv[2], 0, 10), left = strtoull(argv[3], 0, 10);
    char *data = malloc(block);
    if (!data) return fail("malloc");
    memset(data, 'x', block);
    int fd = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return fail("open");
    long long start = now();
    if (!strcmp(argv[1], "write")) {
        while (left > 0) {
            ssize_t n = write(fd, data, block < left ? block : left);
            if (n < 0) return fail("write");
            left -= (size_t)n;
        }
    } else {
        FILE *out = fdopen(fd, "w");
        if (!out) return fail("fdopen");
        static char buffer[1 << 20]; /* glibc ignores a size that comes without a buffer */
        if (!strcmp(argv[1], "stdio-1m")) setvbuf(out, buffer, _IOFBF, sizeof buffer);
        for (; left > 0; left -= block < left ? block : left) {
            size_t n = block < left ? block : left;
            if (fwrite(data, 1, n, out) != n) return fail("fwrite");
        }
        if (fflush(out)) return fail("fflush");
    }
    long long written = now();
    if (fsync(fd)) return fail("fsync");
    printf("%lld %lld", written - start, now() - written);
    return 0;
}
