/*
 * Counts and fails the calls of libc that change files, in the process that preloads it (LD_PRELOAD).
 *
 * A point is the n-th call of one operation on one path. Paths are relative to a root folder, and every word with a digit
 * in it becomes '#', so that names with ids and hashes are equal in every run. A call by a raw system call is not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum action { LIST, EIO_ONCE, FULL_FROM_NOW, SHORT, CRASH_BEFORE, CRASH_TORN, CRASH_AFTER };
enum verdict { PASS, FAIL, HALF, TORN, DIE_AFTER };

static char root[PATH_MAX], wanted_op[16], wanted_path[PATH_MAX];
static int armed, log_fd = -1, wanted_nth, wanted_action, seen, full;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Begin to count. With LIST every call is written to `log` as a line of operation and path. */
void torture_arm(const char *folder, int log, const char *op, const char *path, int nth, int action)
{
    snprintf(root, sizeof root, "%s/", folder);
    snprintf(wanted_op, sizeof wanted_op, "%s", op);
    snprintf(wanted_path, sizeof wanted_path, "%s", path);
    log_fd = log, wanted_nth = nth, wanted_action = action, seen = 0, full = 0;
    armed = 1;
}

/* Whether the point was met. */
int torture_met(void)
{
    return seen;
}

/* Stop, and return how often the point was met: 0 when it was not reached. */
int torture_disarm(void)
{
    pthread_mutex_lock(&lock);
    armed = 0;
    pthread_mutex_unlock(&lock);
    return seen;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void normalise(const char *from, char *to)
{
    while (*from) {
        size_t length = strcspn(from, "/.-_ ");
        if (strcspn(from, "0123456789") < length)
            *to++ = '#';
        else
            memcpy(to, from, length), to += length;
        from += length;
        if (*from)
            *to++ = *from++;
    }
    *to = 0;
}

static int absolute(int folder, const char *path, char *out)
{
    if (path[0] == '/') {
        snprintf(out, PATH_MAX, "%s", path);
        return 1;
    }
    char link[64], base[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (!getcwd(base, sizeof base))
            return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t size = readlink(link, base, sizeof base - 1);
        if (size < 0)
            return 0;
        base[size] = 0;
    }
    return path[0] ? snprintf(out, PATH_MAX, "%s/%s", base, path) < PATH_MAX : snprintf(out, PATH_MAX, "%s", base) < PATH_MAX;
}

static enum verdict judge(const char *op, int folder, const char *path, int grows)
{
    char whole[PATH_MAX], relative[PATH_MAX];
    int saved = errno;
    enum verdict verdict = PASS;
    if (!armed || !absolute(folder, path, whole) || strncmp(whole, root, strlen(root)) != 0)
        goto out;
    normalise(whole + strlen(root), relative);
    pthread_mutex_lock(&lock);
    if (!armed) {
        pthread_mutex_unlock(&lock);
        goto out;
    }
    if (wanted_action == LIST) {
        char line[PATH_MAX + 32];
        int size = snprintf(line, sizeof line, "%s %s\n", op, relative);
        if (REAL(write)(log_fd, line, size) < 0)
            abort();
    } else if (!seen && !strcmp(op, wanted_op) && !strcmp(relative, wanted_path) && --wanted_nth == 0) {
        seen = 1;
        if (wanted_action == CRASH_BEFORE)
            kill(getpid(), SIGKILL);
        full = wanted_action == FULL_FROM_NOW;
        verdict = wanted_action == EIO_ONCE ? FAIL
                : wanted_action == SHORT ? HALF
                : wanted_action == CRASH_TORN ? TORN
                : wanted_action == CRASH_AFTER ? DIE_AFTER : PASS;
    }
    if (full && grows)
        verdict = FAIL;
    pthread_mutex_unlock(&lock);
out:
    errno = verdict == FAIL ? (full ? ENOSPC : EIO) : saved;
    return verdict;
}

static void after(enum verdict verdict)
{
    if (verdict == DIE_AFTER || verdict == TORN)
        kill(getpid(), SIGKILL);
}

#define CHANGE(type, name, declared, passed, op, folder, path, grows) \
    type name declared                                               \
    {                                                                \
        enum verdict verdict = judge(op, folder, path, grows);       \
        if (verdict == FAIL)                                         \
            return -1;                                               \
        type result = REAL(name) passed;                             \
        after(verdict);                                              \
        return result;                                               \
    }

CHANGE(int, fsync, (int fd), (fd), "fsync", fd, "", 1)
CHANGE(int, fdatasync, (int fd), (fd), "fsync", fd, "", 1)
CHANGE(int, rename, (const char *a, const char *b), (a, b), "rename", AT_FDCWD, b, 0)
CHANGE(int, renameat, (int f, const char *a, int g, const char *b), (f, a, g, b), "rename", g, b, 0)
CHANGE(int, unlink, (const char *a), (a), "unlink", AT_FDCWD, a, 0)
CHANGE(int, unlinkat, (int f, const char *a, int flags), (f, a, flags), "unlink", f, a, 0)
CHANGE(int, rmdir, (const char *a), (a), "unlink", AT_FDCWD, a, 0)
CHANGE(int, mkdir, (const char *a, mode_t mode), (a, mode), "create", AT_FDCWD, a, 1)
CHANGE(int, ftruncate64, (int fd, off64_t size), (fd, size), "truncate", fd, "", 0)

#define WRITE(name, declared, whole, half)                           \
    ssize_t name declared                                            \
    {                                                                \
        enum verdict verdict = judge("write", fd, "", 1);            \
        if (verdict == FAIL)                                         \
            return -1;                                               \
        ssize_t result = verdict == HALF || verdict == TORN ? REAL(name) half : REAL(name) whole; \
        after(verdict);                                              \
        return result;                                               \
    }

WRITE(write, (int fd, const void *data, size_t size), (fd, data, size), (fd, data, size / 2))
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), (fd, data, size / 2, at))
WRITE(writev, (int fd, const struct iovec *data, int count), (fd, data, count), (fd, data, (count + 1) / 2))

static mode_t mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

static int exists(int folder, const char *path)
{
    struct stat status;
    return fstatat(folder, path, &status, 0) == 0;
}

#define OPEN(name, declared, folder, passed)                         \
    int name declared                                                \
    {                                                                \
        va_list more;                                                \
        va_start(more, flags);                                       \
        mode_t mode = mode_of(flags, more);                          \
        va_end(more);                                                \
        enum verdict verdict = PASS;                                 \
        if (armed && flags & O_CREAT && !exists(folder, path))       \
            verdict = judge("create", folder, path, 1);              \
        if (verdict == FAIL)                                         \
            return -1;                                               \
        int result = REAL(name) passed;                              \
        after(verdict);                                              \
        return result;                                               \
    }

OPEN(open, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), folder, (folder, path, flags, mode))
