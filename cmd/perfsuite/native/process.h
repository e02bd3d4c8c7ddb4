// What the process can find out about itself.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// populate_read is MADV_POPULATE_READ, which headers before Linux 5.14 lack.
constexpr int populate_read = 22;

// Memory is the resident set of this process, in bytes.
struct Memory {
    long long current = 0, peak = 0;
};

inline Memory resident() {
    Memory m;
    std::FILE* status = std::fopen("/proc/self/status", "r");
    if (status == nullptr) return m;
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
        long long kib;
        if (std::sscanf(line, "VmHWM: %lld kB", &kib) == 1) m.peak = kib << 10;
        if (std::sscanf(line, "VmRSS: %lld kB", &kib) == 1) m.current = kib << 10;
    }
    std::fclose(status);
    return m;
}

// touch_files makes the program and its libraries resident, as far as they lie in
// files: what pages of code a stream happens to reach first is not growth of the
// heap. Systems before Linux 5.14 refuse, and count those pages.
inline void touch_files() {
    const auto touch = [](dl_phdr_info* object, std::size_t, void*) {
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        for (int i = 0; i < object->dlpi_phnum; i++) {
            const auto& part = object->dlpi_phdr[i];
            if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
            const auto start = (object->dlpi_addr + part.p_vaddr) & ~(page - 1);
            const auto end = object->dlpi_addr + part.p_vaddr + part.p_filesz;
            madvise(reinterpret_cast<void*>(start), end - start, populate_read);
        }
        return 0;
    };
    dl_iterate_phdr(touch, nullptr);
}

// resident_pages maps n bytes of a file, or of none, and makes them resident. It
// returns null if it cannot.
inline void* resident_pages(std::size_t n, int flags, int file) {
    void* pages = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE | flags, file, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

inline bool same_file(const char* a, const char* b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// malloc_file returns the file that malloc comes from. The program's own
// address of malloc would not do: it may be a stub that jumps there.
inline const char* malloc_file() {
    Dl_info info;
    void* address = dlsym(RTLD_DEFAULT, "malloc");
    return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fname : "nowhere";
}

// check_malloc ends the process if malloc is not that of the library to be
// preloaded or, without one, that of the C library. The dynamic linker only warns
// of a library that it cannot load and goes on without it.
inline void check_malloc() {
    const char* found = malloc_file();
    const char* wanted = std::getenv("LD_PRELOAD");
    if (wanted == nullptr || *wanted == '\0') wanted = "libc.so.6";
    if (std::strchr(wanted, '/') != nullptr ? same_file(found, wanted) : std::strstr(found, wanted) != nullptr) return;
    std::fprintf(stderr, "malloc comes from %s and not from %s\n", found, wanted);
    std::exit(1);
}
