#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

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
        base::Timestamp until = {};      // of another's, which is not done: so long it is left to the other
        base::Timestamp lapses_at = {};  // of any that is not done: then others take it over
    };
    // By run keys; those that nobody has claimed are not there.
    base::Result<std::map<std::string, Look>> of(std::span<const std::string> run_keys, Unit& unit);

    // We begin with these of the wake's, or go on with what another has left.
    base::Result<void> claim(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit);
    // We are still at it. Not told each time: often enough that nobody takes it over.
    base::Result<void> go_on(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit);
    // We have failed with these, and others need not wait for us. A claim of nobody's is taken in the order of devices.
    base::Result<void> give_up(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit);
    // All went well. Said by whoever went through it, whosever it was.
    base::Result<void> done(const model::Wake& wake, std::span<const std::string> run_keys, Unit& unit);

    // A slice of those that nobody can need any more; how many.
    static base::Result<std::uint64_t> sweep(Unit& unit);

    void clock_was_set_back(base::Duration by);

private:
    struct Claim {
        std::string host;
        bool is_done = false;
        std::int64_t beat = 0;  // how often it was said that somebody is at it
        base::Duration lease;   // whoever says so is waited for that long
        base::Timestamp came_at;
    };
    struct Waiting {
        std::int64_t beat = 0;
        base::Timestamp since;
    };
    static base::Result<std::map<std::string, Claim>> find(std::span<const std::string> run_keys, Unit& unit);
    base::Timestamp waited_since(const std::string& run_key, const Claim& claim, base::Timestamp now);
    // `fields`: those that are said anew.
    base::Result<void> write(const model::Wake& wake, const std::string& run_key, const Claim& claim,
                             std::vector<std::string> fields, Unit& unit);

    ChangeLog& changes_;
    // Since when those of others are waited for, as this process knows it: a clock that is set back makes nobody wait
    // longer.
    std::unordered_map<std::string, Waiting> waited_for_;
};

}  // namespace belfry::engine
