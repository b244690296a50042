#pragma once

#include <cstdio>
#include <cstdlib>

// A broken assumption of the program itself, never of its input. Always on: a daemon that goes on with a wrong belief
// about its own state does more harm than one that stops and is restarted from what it recorded.
#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) [[unlikely]] {                                                           \
            std::fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)
