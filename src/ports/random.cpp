#include "ports/random.hpp"

namespace belfry::ports {

std::string Random::bytes(std::size_t count) {
    std::string out;
    out.reserve(count + 8);
    while (out.size() < count) {
        std::uint64_t word = next();
        for (int i = 0; i < 8; ++i) {
            out += static_cast<char>(word & 0xFFU);
            word >>= 8U;
        }
    }
    out.resize(count);
    return out;
}

}  // namespace belfry::ports
