#include <cerrno>
#include <cstring>
#include <sys/random.h>

#include "base/assert.hpp"
#include "host/entropy.hpp"

namespace belfry::host {

// What was drawn and not used yet would be somebody's next secret.
Entropy::~Entropy() {
    ::explicit_bzero(words_.data(), sizeof(words_));
}

std::uint64_t Entropy::next() {
    if (used_ == words_.size()) {
        char* const begin = reinterpret_cast<char*>(words_.data());
        for (std::size_t filled = 0; filled < sizeof(words_);) {
            const ssize_t got = ::getrandom(begin + filled, sizeof(words_) - filled, 0);
            if (got < 0 && errno == EINTR) continue;
            // Without entropy every token would be guessable; there is no way to go on.
            ASSERT(got > 0);
            filled += static_cast<std::size_t>(got);
        }
        used_ = 0;
    }
    const std::uint64_t word = words_[used_];
    words_[used_++] = 0;
    return word;
}

}  // namespace belfry::host
