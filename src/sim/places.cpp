#include "sim/places.hpp"

namespace belfry::sim {

std::string Places::some(SeededRandom& random) const {
    const std::uint64_t place = random.below(generations_.size());
    const int generation = generations_[place];
    const std::string name = "session" + std::to_string(place);
    if (generation == 0) return name;
    const int which = random.one_in(30) ? generation - 1 : generation;
    return which == 0 ? name : name + "." + std::to_string(which);
}

void Places::deleted(const std::string& session) {
    deleted_.insert(session);
    constexpr std::size_t digit = 7;  // after `session`
    const auto place = static_cast<std::size_t>(session[digit] - '0');
    const int generation = session.size() > digit + 2 ? std::stoi(session.substr(digit + 2)) : 0;
    if (generations_[place] == generation) ++generations_[place];
}

}  // namespace belfry::sim
