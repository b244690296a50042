// Preloaded into the daemon by test_broken.py: files that fail and clocks that jump, as a page of memory says that the test
// shares with it (BELFRY_FAULTS names its file). What is not armed there goes to the C library as it came.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum Kind { kind_write, kind_read, kind_sync, kind_open, kind_truncate, kinds };

// As test_broken.py packs it.
struct Rule {
    char part[64];          // what the path must hold, and what its end must be; nothing: no rule
    char end[32];
    _Atomic int64_t skip;   // so many calls pass first
    _Atomic int64_t times;  // then so many fail; below zero all of them
    int64_t error;          // an errno; below zero a signal to the process itself; zero: it hangs until that is healed
    int64_t torn;           // a write that fails has written its first half
    _Atomic int64_t failed;
    _Atomic int64_t armed;
};

struct Page {
    _Atomic int64_t wall_us;    // added to the wall clock
    _Atomic int64_t steady_us;  // added to the clock that only grows
    struct Rule rules[kinds];
};

static struct Page* page;

#define REAL(name, result, ...)                           \
    static result (*real)(__VA_ARGS__);                   \
    if (real == NULL) {                                   \
        void* found = dlsym(RTLD_NEXT, name);             \
        memcpy(&real, &found, sizeof found);              \
    }

__attribute__((constructor)) static void map_page(void) {
    const char* path = getenv("BELFRY_FAULTS");
    if (path == NULL) return;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void* mapped = mmap(NULL, sizeof(struct Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) page = mapped;
}

static int ends_with(const char* text, const char* end) {
    const size_t size = strlen(text);
    const size_t wanted = strlen(end);
    return size >= wanted && strcmp(text + size - wanted, end) == 0;
}

// The rule that this call meets, or nothing.
static struct Rule* met(enum Kind kind, const char* path) {
    struct Rule* rule = &page->rules[kind];
    if (strstr(path, rule->part) == NULL || !ends_with(path, rule->end)) return NULL;
    if (atomic_fetch_sub(&rule->skip, 1) > 0) return NULL;
    atomic_store(&rule->skip, 0);
    const int64_t left = atomic_load(&rule->times);
    if (left == 0) return NULL;
    if (left > 0) atomic_fetch_sub(&rule->times, 1);
    atomic_fetch_add(&rule->failed, 1);
    return rule;
}

static int fail_with(const struct Rule* rule) {
    while (rule->error == 0 && atomic_load(&rule->armed) != 0) usleep(10000);
    if (rule->error == 0) return 0;
    if (rule->error < 0) {
        raise((int)-rule->error);
        return 0;
    }
    errno = (int)rule->error;
    return 1;
}

static struct Rule* met_by(enum Kind kind, int file) {
    if (page == NULL || atomic_load(&page->rules[kind].armed) == 0) return NULL;
    char link[64];
    char path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return NULL;
    path[size] = '\0';
    return met(kind, path);
}

ssize_t pwrite64(int file, const void* from, size_t size, off64_t at) {
    REAL("pwrite64", ssize_t, int, const void*, size_t, off64_t)
    const struct Rule* rule = met_by(kind_write, file);
    if (rule != NULL) {
        if (rule->torn != 0 && size > 1) real(file, from, size / 2, at);
        if (fail_with(rule)) return -1;
    }
    return real(file, from, size, at);
}

ssize_t pwrite(int file, const void* from, size_t size, off_t at) {
    return pwrite64(file, from, size, at);
}

ssize_t pread64(int file, void* into, size_t size, off64_t at) {
    REAL("pread64", ssize_t, int, void*, size_t, off64_t)
    const struct Rule* rule = met_by(kind_read, file);
    if (rule != NULL && fail_with(rule)) return -1;
    return real(file, into, size, at);
}

ssize_t pread(int file, void* into, size_t size, off_t at) {
    return pread64(file, into, size, at);
}

int fdatasync(int file) {
    REAL("fdatasync", int, int)
    const struct Rule* rule = met_by(kind_sync, file);
    if (rule != NULL && fail_with(rule)) return -1;
    return real(file);
}

int fsync(int file) {
    REAL("fsync", int, int)
    const struct Rule* rule = met_by(kind_sync, file);
    if (rule != NULL && fail_with(rule)) return -1;
    return real(file);
}

int ftruncate64(int file, off64_t size) {
    REAL("ftruncate64", int, int, off64_t)
    const struct Rule* rule = met_by(kind_truncate, file);
    if (rule != NULL && fail_with(rule)) return -1;
    return real(file, size);
}

int ftruncate(int file, off_t size) {
    return ftruncate64(file, size);
}

int open64(const char* path, int flags, ...) {
    REAL("open64", int, const char*, int, ...)
    mode_t mode = 0;
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if (page != NULL && atomic_load(&page->rules[kind_open].armed) != 0) {
        const struct Rule* rule = met(kind_open, path);
        if (rule != NULL && fail_with(rule)) return -1;
    }
    return real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    return open64(path, flags, mode);
}

static int64_t offset_of(clockid_t clock) {
    if (page == NULL) return 0;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) return atomic_load(&page->wall_us);
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE) return atomic_load(&page->steady_us);
    return 0;
}

static void move(struct timespec* time, int64_t us) {
    const int64_t moved = (int64_t)time->tv_sec * 1000000 + us;
    const int64_t whole = moved > 0 ? moved : 0;
    time->tv_sec = whole / 1000000;
    time->tv_nsec = whole % 1000000 * 1000 + time->tv_nsec;
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        ++time->tv_sec;
    }
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    REAL("clock_gettime", int, clockid_t, struct timespec*)
    const int result = real(clock, time);
    if (result == 0) move(time, offset_of(clock));
    return result;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
    (void)zone;
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    time->tv_sec = exact.tv_sec;
    time->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t* into) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (into != NULL) *into = exact.tv_sec;
    return exact.tv_sec;
}

// Its moment was reckoned from the clock as it seems; the kernel has the true one.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
    REAL("pthread_cond_clockwait", int, pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*)
    struct timespec truly = *until;
    move(&truly, -offset_of(clock));
    return real(condition, mutex, clock, &truly);
}
