#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belfry::bench {

// What a reader knows of one run: every event up to `last`, and of each writer how many. Anything else than exactly the
// next event of this run, in the order of its writer, ends the program.
class RunReader {
public:
    RunReader(std::uint64_t run, std::size_t writers, std::uint64_t events_each)
        : run_(run), written_(writers), events_each_(events_each) {}

    // The text of one server-sent event, without the empty line behind it.
    void take(std::string_view message);

    [[nodiscard]] std::uint64_t run() const { return run_; }
    [[nodiscard]] std::uint64_t last() const { return last_; }
    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] bool is_complete() const { return received_ == events_each_ * written_.size(); }

private:
    std::uint64_t number(std::string_view data, std::string_view name) const;

    std::uint64_t run_;
    std::uint64_t last_ = 0;
    std::uint64_t received_ = 0;
    std::vector<std::uint64_t> written_;  // of each writer: its next number
    std::uint64_t events_each_;
};

}  // namespace belfry::bench
