#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "observation.hpp"

// The oracle: judges what was seen against what the documents promise. It knows nothing of rows, holders or states.
namespace observer {

// A promise that was not kept.
struct Violation {
    std::string invariant;              // the name in tests/observer/README.md
    std::string promise;                // quoted from the source document
    std::string source;                 // the document
    std::string message;                // what was seen instead
    std::vector<std::uint64_t> orders;  // the observations that show it
};

struct Options {
    // The longest time that "at once" may take on a loaded machine.
    std::int64_t grace_ms = 5000;
    // Uncertainty of the observer's times against those of the daemon.
    std::int64_t slack_ms = 300;
};

class Checker {
public:
    explicit Checker(Options options = {}) : options_(options) {}

    // Takes the next observation. Observations come in rising `order`.
    void see(const Observation& seen) { seen_.push_back(seen); }

    // Judges everything that was seen. Invariants of the form "sooner or later" count only after a Quiet.
    std::vector<Violation> finish() const;

    std::size_t size() const { return seen_.size(); }

private:
    Options options_;
    std::deque<Observation> seen_;  // keeps addresses, which the judgement refers to
};

// The names of all invariants, for reports and for tests that each one can fail.
std::vector<std::string> invariant_names();

}  // namespace observer
