// What the twin demands of its compiler. The sizes that the streams ask for are
// those of libstdc++ on a 64-bit system; the text of each error is what perfsuite
// prints where they would be others.
#pragma once

#include <string>

#if !defined(__GLIBCXX__)
#error the native twin needs libstdc++: another library has nodes and strings of other sizes
#elif !_GLIBCXX_USE_CXX11_ABI
#error the native twin needs the strings of libstdc++ since GCC 5, -D_GLIBCXX_USE_CXX11_ABI=1
#elif __SIZEOF_POINTER__ != 8
#error the native twin needs a 64-bit compiler: nodes and strings are smaller with shorter pointers
#elif !defined(__linux__) || !defined(__GLIBC__)
#error the native twin needs Linux with the GNU C library, whose malloc is the subject native:glibc
#endif

static_assert(sizeof(std::string) == 32, "a string object has 32 bytes");
