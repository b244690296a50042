#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "model/wake.hpp"

namespace belfry::engine {

// Which of several devices sees to what wakes an agent: whoever begins says so, and the others leave it to him for a
// while. It keeps work from being done twice, and nothing else rests on it: what two devices do all the same, because
// they were apart, has the ids of its operations on both. Where no other device is paired nothing is written.
class RunClaims {
public:
    explicit RunClaims(ChangeLog& changes) : changes_(changes) {}

    // Whether there is anybody who could be faster.
    static base::Result<bool> has_others(Unit& unit);

    enum class Standing : std::uint8_t {
        free,    // nobody has begun, or we have, or whoever has was given his time
        theirs,  // another device is at it
        done,    // somebody has seen to it
    };
    struct Look {
        Standing standing = Standing::free;
        bool is_claimed = false;
        base::Timestamp until = {};  // of `theirs`: so long it is left to the other
    };
    // By run keys; those that nobody has claimed are not there.
    base::Result<std::map<std::string, Look>> of(std::span<const std::string> run_keys, Unit& unit);

    // We begin with these of the wake's; those that somebody has claimed stay as they are.
    base::Result<void> claim(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit);
    // All went well. Said by whoever went through it, whosever it was.
    base::Result<void> done(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit);

    // A slice of those that nobody can need any more; how many.
    static base::Result<std::uint64_t> sweep(Unit& unit);

    void clock_was_set_back(base::Duration by);

private:
    struct Claim {
        std::string host;
        bool is_done = false;
        base::Timestamp came_at;
    };
    static base::Result<std::map<std::string, Claim>> find(std::span<const std::string> run_keys, Unit& unit);
    // `there`: what it was; null: nobody had claimed it.
    base::Result<void> write(const model::Wake& wake, const std::string& run_key, const Claim* there, bool is_done,
                             Unit& unit);

    ChangeLog& changes_;
    // Since when those of others are waited for, as this process knows it: a clock that is set back makes nobody wait
    // longer.
    std::unordered_map<std::string, base::Timestamp> waited_since_;
};

}  // namespace belfry::engine
