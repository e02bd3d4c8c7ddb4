/* A library to preload: it passes malloc and its relatives on to whatever would
 * have served them, and logs what was asked for.
 *
 * The log is a file of this process in the folder that COOKMEM_RECORD names. It
 * is mapped and shared, so that what was logged is in the file however the
 * process ends: by exit, _exit, exec or a signal. The first page tells the
 * process; records follow. The file is extended by whole windows, and a record
 * of kind 0 is not one: behind the last record there are only zeros.
 *
 * Order. Threads log under one lock. A block is logged as free before it is
 * freed and as allocated after it was allocated, so that of two threads that get
 * the same address one after the other, the first one's free stands before the
 * second one's allocation. realloc does both and holds the lock meanwhile.
 *
 * A child that is forked and does not exec shares our mapping. It logs nothing:
 * it is in the middle of a stream whose beginning is not its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* What log.go knows as well. */
enum { ALLOC = 1, ZEROED, REALLOC, FREE };

struct record {
	uint32_t kind;
	uint32_t align;   /* log2, of ALLOC; 0 if none was asked for */
	uint64_t address; /* of the block, after the call */
	uint64_t size;    /* asked for */
	uint64_t old;     /* REALLOC: address of the block before the call */
};

struct head {
	char magic[8];
	uint64_t process;
	char program[4080]; /* ends with a zero */
};

#define WINDOW (4096 * sizeof(struct record)) /* a multiple of all page sizes */

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static void *(*next_memalign)(size_t, size_t);

/* Looking the next functions up may allocate. Meanwhile blocks come from here;
 * they are never given back. */
static _Alignas(16) char early[1 << 16];
static size_t early_used;
static atomic_int looking;

static int is_early(const void *p) {
	return (const char *)p >= early && (const char *)p < early + sizeof early;
}

/* The size lies in front of an early block, for realloc. */
static void *early_alloc(size_t n) {
	size_t need = ((n + 15) & ~(size_t)15) + 16;
	if (n > sizeof early || need > sizeof early - early_used)
		return NULL;
	char *p = early + early_used;
	early_used += need;
	memcpy(p, &n, sizeof n);
	return p + 16;
}

static void *find(const char *name) {
	return dlsym(RTLD_NEXT, name);
}

/* look reports whether the next functions are known. The first call comes before
 * there is a second thread; a call from within itself is answered with no. */
static int look(void) {
	if (next_free)
		return 1;
	if (atomic_exchange(&looking, 1))
		return 0;
	next_malloc = (void *(*)(size_t))find("malloc");
	next_calloc = (void *(*)(size_t, size_t))find("calloc");
	next_realloc = (void *(*)(void *, size_t))find("realloc");
	next_posix_memalign = (int (*)(void **, size_t, size_t))find("posix_memalign");
	next_aligned_alloc = (void *(*)(size_t, size_t))find("aligned_alloc");
	next_memalign = (void *(*)(size_t, size_t))find("memalign");
	next_free = (void (*)(void *))find("free");
	atomic_store(&looking, 0);
	return next_free != NULL;
}

/* The log. fd < 0 means that nothing is logged. */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int tried; /* to open the file */
static int fd = -1;
static off_t file_size;
static struct record *window, *end;

/* Set while this thread logs, or is in a call that is logged as a whole. */
static __thread int inside __attribute__((tls_model("initial-exec")));

static void acquire(void) {
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		sched_yield();
}

static void release(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }

/* extend maps the next window of the file. A full disk ends the log with what
 * it has; the program goes on. */
static int extend(void) {
	if (window)
		munmap(end - WINDOW / sizeof(struct record), WINDOW);
	window = NULL;
	if (posix_fallocate(fd, file_size, WINDOW) == 0) {
		void *p = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, fd, file_size);
		if (p != MAP_FAILED) {
			file_size += WINDOW;
			window = p;
			end = window + WINDOW / sizeof(struct record);
			return 1;
		}
	}
	close(fd);
	fd = -1;
	return 0;
}

/* create makes the file of this process, one more for each exec. */
static void create(const char *folder) {
	char name[4096];
	for (int image = 0; image < 1000; image++) {
		snprintf(name, sizeof name, "%s/%ld.%d", folder, (long)getpid(), image);
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	/* Out of the way of programs that close or reuse the low numbers. */
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 900);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
}

/* start opens the log. */
static void start(const char *folder) {
	create(folder);
	if (fd < 0)
		return;
	struct head head = {.magic = "CKMSHIM1", .process = (uint64_t)getpid()};
	if (readlink("/proc/self/exe", head.program, sizeof head.program - 1) < 0)
		head.program[0] = 0;
	file_size = WINDOW; /* the head has a window of its own */
	if (pwrite(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || ftruncate(fd, file_size) != 0) {
		close(fd);
		fd = -1;
	}
}

/* logging reports whether calls are to be logged. The first one that could be
 * opens the log: libraries allocate before our constructor runs. Before libc is
 * ready there is no environment to look into. */
static int logging(void) {
	if (inside)
		return 0;
	if (!tried && environ) {
		tried = 1;
		int saved = errno;
		const char *folder = getenv("COOKMEM_RECORD");
		if (folder)
			start(folder);
		errno = saved;
	}
	return fd >= 0;
}

/* put logs one record. The lock is held. */
static void put(uint32_t kind, uint32_t align, void *address, size_t size, void *old) {
	if (fd < 0 || (window == end && !extend()))
		return;
	struct record *r = window++;
	r->align = align;
	r->address = (uintptr_t)address;
	r->size = size;
	r->old = (uintptr_t)old;
	r->kind = kind;
}

static void note(uint32_t kind, uint32_t align, void *address, size_t size) {
	if (!logging())
		return;
	int saved = errno;
	inside = 1;
	acquire();
	put(kind, align, address, size, NULL);
	release();
	inside = 0;
	errno = saved;
}

static void after_fork(void) {
	fd = -1;
	atomic_flag_clear(&lock);
}

__attribute__((constructor)) static void watch_forks(void) {
	pthread_atfork(NULL, NULL, after_fork);
}

static uint32_t log_of(size_t align) { return (uint32_t)__builtin_ctzll((unsigned long long)align); }

EXPORT void *malloc(size_t n) {
	if (!look())
		return early_alloc(n);
	void *p = next_malloc(n);
	if (p)
		note(ALLOC, 0, p, n);
	return p;
}

EXPORT void *calloc(size_t count, size_t size) {
	if (!look()) /* early memory is zero, and was never used before */
		return size && count > SIZE_MAX / size ? NULL : early_alloc(count * size);
	void *p = next_calloc(count, size);
	if (p)
		note(ZEROED, 0, p, count * size);
	return p;
}

EXPORT void free(void *p) {
	if (!p || is_early(p) || !look())
		return;
	note(FREE, 0, p, 0);
	next_free(p);
}

static void *early_realloc(void *p, size_t n) {
	void *q = malloc(n);
	if (q) {
		size_t old;
		memcpy(&old, (char *)p - 16, sizeof old);
		memcpy(q, p, old < n ? old : n);
	}
	return q;
}

EXPORT void *realloc(void *p, size_t n) {
	if (!p)
		return malloc(n);
	if (is_early(p) || !look())
		return early_realloc(p, n);
	if (!logging())
		return next_realloc(p, n);
	inside = 1;
	acquire();
	void *q = next_realloc(p, n);
	int saved = errno;
	if (q)
		put(REALLOC, 0, q, n, p);
	else if (n == 0) /* this malloc takes it for free */
		put(FREE, 0, p, 0, NULL);
	release();
	inside = 0;
	errno = saved;
	return q;
}

EXPORT void *reallocarray(void *p, size_t count, size_t size) {
	if (size && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, count * size);
}

/* The relatives with an alignment. One that the next malloc lacks fails. */

EXPORT int posix_memalign(void **out, size_t align, size_t n) {
	if (!look() || !next_posix_memalign)
		return ENOMEM;
	inside++; /* it may call the others */
	int failed = next_posix_memalign(out, align, n);
	inside--;
	if (!failed && *out)
		note(ALLOC, log_of(align), *out, n);
	return failed;
}

static void *aligned(void *(*next)(size_t, size_t), size_t align, size_t n) {
	if (!next) {
		errno = ENOMEM;
		return NULL;
	}
	inside++;
	void *p = next(align, n);
	inside--;
	if (p)
		note(ALLOC, align ? log_of(align) : 0, p, n);
	return p;
}

EXPORT void *aligned_alloc(size_t align, size_t n) { return aligned(look() ? next_aligned_alloc : NULL, align, n); }

EXPORT void *memalign(size_t align, size_t n) { return aligned(look() ? next_memalign : NULL, align, n); }

EXPORT void *valloc(size_t n) { return memalign((size_t)sysconf(_SC_PAGESIZE), n); }

EXPORT void *pvalloc(size_t n) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (n > SIZE_MAX - page) {
		errno = ENOMEM;
		return NULL;
	}
	return memalign(page, (n + page - 1) & ~(page - 1));
}
