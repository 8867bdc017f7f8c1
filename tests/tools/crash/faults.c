/* The n-th call to the file system below one folder: the process is killed before it, or it fails.
 *
 * Loaded with LD_PRELOAD, so that it sees what Python, Rust and C++ libraries ask of the C library. Built by
 * server.py. Nothing is counted before faults_arm().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATES = 1, READS = 2, REMOVES = 4 };

static char folder[4096];
static size_t folder_length;
static long at;
static int kind; /* 0: count only; -1: kill; else the errno with which the call fails */
static int seen; /* which calls count: CREATES and so on */
static int on;
static struct { atomic_long count; char what[1016]; } *told;

/* ``shared``: 1024 bytes that outlive the process: how many calls there were, and which one was struck. */
void faults_arm(const char *below, long number, int fault, int which, void *shared) {
    snprintf(folder, sizeof folder, "%s", below);
    folder_length = strlen(folder);
    at = number;
    kind = fault;
    seen = which;
    told = shared;
    on = 1;
}

void faults_disarm(void) { on = 0; }

static int is_below(int directory, const char *path) {
    char link[64], place[4096];
    if (path != NULL && path[0] == '/')
        return strncmp(path, folder, folder_length) == 0;
    if (directory == AT_FDCWD)
        return path != NULL; /* the working folder is below */
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, place, sizeof place - 1);
    if (length < 0)
        return 0;
    place[length] = 0;
    return strncmp(place, folder, folder_length) == 0;
}

/* Count a call; return the errno with which it fails, or 0. */
static int struck(const char *call, int class, int directory, const char *path) {
    if (!on || !(seen & class))
        return 0;
    int before = errno, below = is_below(directory, path);
    errno = before;
    if (!below)
        return 0;
    long number = atomic_fetch_add(&told->count, 1) + 1;
    if (number != at)
        return 0;
    snprintf(told->what, sizeof told->what, "%s %s", call, path != NULL ? path : "");
    if (kind < 0) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
        for (;;)
            pause();
    }
    return kind;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (real == NULL) \
        real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define STRIKE(class, directory, path) \
    do { \
        int failed = struck(__func__, class, directory, path); \
        if (failed) { \
            errno = failed; \
            return -1; \
        } \
    } while (0)

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        MODE_OF(flags) \
        REAL(int, name, const char *, int, ...); \
        STRIKE(flags & O_CREAT ? CREATES : READS, AT_FDCWD, path); \
        return real(path, flags, mode); \
    }
#define OPENAT(name) \
    int name(int directory, const char *path, int flags, ...) { \
        MODE_OF(flags) \
        REAL(int, name, int, const char *, int, ...); \
        STRIKE(flags & O_CREAT ? CREATES : READS, directory, path); \
        return real(directory, path, flags, mode); \
    }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)

#define CALL(class, type, name, parameters, types, arguments, directory, path) \
    type name parameters { \
        REAL(type, name, types); \
        STRIKE(class, directory, path); \
        return real arguments; \
    }
#define TYPES(...) __VA_ARGS__

CALL(CREATES, int, rename, (const char *a, const char *b), TYPES(const char *, const char *), (a, b), AT_FDCWD, b)
CALL(CREATES, int, renameat, (int c, const char *a, int d, const char *b),
     TYPES(int, const char *, int, const char *), (c, a, d, b), d, b)
CALL(CREATES, int, renameat2, (int c, const char *a, int d, const char *b, unsigned e),
     TYPES(int, const char *, int, const char *, unsigned), (c, a, d, b, e), d, b)
CALL(CREATES, int, link, (const char *a, const char *b), TYPES(const char *, const char *), (a, b), AT_FDCWD, b)
CALL(CREATES, int, linkat, (int c, const char *a, int d, const char *b, int e),
     TYPES(int, const char *, int, const char *, int), (c, a, d, b, e), d, b)
CALL(REMOVES, int, unlink, (const char *a), TYPES(const char *), (a), AT_FDCWD, a)
CALL(REMOVES, int, unlinkat, (int d, const char *a, int e), TYPES(int, const char *, int), (d, a, e), d, a)
CALL(REMOVES, int, rmdir, (const char *a), TYPES(const char *), (a), AT_FDCWD, a)
CALL(CREATES, int, mkdir, (const char *a, mode_t b), TYPES(const char *, mode_t), (a, b), AT_FDCWD, a)
CALL(CREATES, int, mkdirat, (int d, const char *a, mode_t b), TYPES(int, const char *, mode_t), (d, a, b), d, a)
CALL(REMOVES, int, chmod, (const char *a, mode_t b), TYPES(const char *, mode_t), (a, b), AT_FDCWD, a)
CALL(REMOVES, int, fchmod, (int d, mode_t b), TYPES(int, mode_t), (d, b), d, NULL)
CALL(CREATES, ssize_t, write, (int d, const void *a, size_t b), TYPES(int, const void *, size_t), (d, a, b), d, NULL)
CALL(CREATES, ssize_t, writev, (int d, const struct iovec *a, int b), TYPES(int, const struct iovec *, int), (d, a, b),
     d, NULL)
CALL(CREATES, ssize_t, pwrite, (int d, const void *a, size_t b, off_t c), TYPES(int, const void *, size_t, off_t),
     (d, a, b, c), d, NULL)
CALL(CREATES, ssize_t, pwrite64, (int d, const void *a, size_t b, off64_t c),
     TYPES(int, const void *, size_t, off64_t), (d, a, b, c), d, NULL)
CALL(CREATES, int, fsync, (int d), TYPES(int), (d), d, NULL)
CALL(CREATES, int, fdatasync, (int d), TYPES(int), (d), d, NULL)
CALL(CREATES, int, ftruncate, (int d, off_t a), TYPES(int, off_t), (d, a), d, NULL)
CALL(CREATES, int, ftruncate64, (int d, off64_t a), TYPES(int, off64_t), (d, a), d, NULL)
CALL(CREATES, ssize_t, copy_file_range, (int c, off64_t *a, int d, off64_t *b, size_t e, unsigned f),
     TYPES(int, off64_t *, int, off64_t *, size_t, unsigned), (c, a, d, b, e, f), d, NULL)
CALL(CREATES, ssize_t, sendfile, (int d, int c, off_t *a, size_t b), TYPES(int, int, off_t *, size_t), (d, c, a, b), d,
     NULL)
CALL(CREATES, ssize_t, sendfile64, (int d, int c, off64_t *a, size_t b), TYPES(int, int, off64_t *, size_t),
     (d, c, a, b), d, NULL)
CALL(READS, ssize_t, read, (int d, void *a, size_t b), TYPES(int, void *, size_t), (d, a, b), d, NULL)
CALL(READS, ssize_t, pread, (int d, void *a, size_t b, off_t c), TYPES(int, void *, size_t, off_t), (d, a, b, c), d,
     NULL)
CALL(READS, ssize_t, pread64, (int d, void *a, size_t b, off64_t c), TYPES(int, void *, size_t, off64_t),
     (d, a, b, c), d, NULL)
