#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "model/notification.hpp"

namespace belfry::rules {

// An event that a subscriber wants, on its way into a batch.
struct Arrival {
    std::string_view key;  // dedupe key
    model::EventId id;
    model::Sequence sequence = 0;
    model::Severity severity = model::Severity::info;
    std::string_view event_json;
    base::Timestamp now;
};

// What one subscriber gathers in one scope (design.md, decision 14). Repeats inside the open batch are counted in its
// row. When the batch has left, repeats inside the dedupe window are folded and come out as one follow-up row when that
// window ends; a follow-up starts no window. Nothing is dropped. Rows get their ordinal from the owner, who also stores
// them; 0 means that it has none yet.
class Batch {
public:
    enum class Taken { added, counted, folded_first, folded_again };
    struct Place {
        Taken taken = Taken::added;
        model::WaitingRow* row = nullptr;  // valid until the next call; subscriber and scope are for the owner to fill
    };

    // `window` and `dedupe_window` of the subscriber as they are now. With a dedupe window of zero every event is a row
    // of its own, never folded.
    Place take(const Arrival& arrival, base::Duration window, base::Duration dedupe_window);

    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }                       // of the events in the open batch
    [[nodiscard]] std::optional<base::Timestamp> due_at() const { return due_at_; }  // when the open batch leaves

    // The open batch leaves: its rows in order of arrival. Every key of it starts a dedupe window, unless that is zero.
    std::vector<model::WaitingRow> leave(base::Timestamp now, base::Duration dedupe_window);

    // Repeats whose window has ended, in order of arrival; ended windows are forgotten, with or without repeats. It
    // does not matter how late this is called: a key whose window has ended starts afresh, its repeats wait here.
    std::vector<model::WaitingRow> end_windows(base::Timestamp now);

    // Adds repeats whose window has ended to the open batch: counts them into the row of their key, or adds a row. The
    // place says which; `row` is a repeat that `end_windows` returned.
    Place rejoin(model::WaitingRow row, base::Timestamp now, base::Duration window);

    // The open batch leaves at `latest` at the latest: its file may have changed since its first event came.
    void bound(base::Timestamp latest);
    // Moves all times back: the clock was set back, and a window of seconds must not become one of hours.
    void shift_back(base::Duration by);

    // When the next window ends that holds repeats.
    [[nodiscard]] std::optional<base::Timestamp> next_follow_up() const;
    // When something has to be done: a batch leaves or repeats come out.
    [[nodiscard]] std::optional<base::Timestamp> next_due() const;
    // All that waits: the rows of the open batch, then the repeats. Valid until the next call.
    std::vector<model::WaitingRow*> waiting();
    // Of these, what was taken or counted since the last call; one may be there twice. Valid until the next call.
    std::vector<model::WaitingRow*> changed();
    // Nothing open and no window left.
    [[nodiscard]] bool is_idle() const { return rows_.empty() && windows_.empty() && closed_.empty(); }

    // Building anew after a crash, in this order: windows that notifications started, then rows of the store.
    void restore_window(std::string_view key, base::Timestamp until);
    void restore_row(model::WaitingRow row);

private:
    struct Repeat {
        model::WaitingRow row;
        std::uint64_t arrived = 0;
    };
    struct Window {
        base::Timestamp until;
        std::optional<Repeat> repeat;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    template <class T>
    using ByKey = std::unordered_map<std::string, T, Hash, std::equal_to<>>;
    using Ends = std::set<std::pair<base::Timestamp, std::string>>;

    Place fold(Window& window, const Arrival& arrival);
    Place add(const Arrival& arrival, base::Duration window);
    // Gives the key a window that ends then, or leaves it a longer one that it has.
    Window& start_window(std::string_view key, base::Timestamp until);
    void close(Window& window, std::string_view key);
    void close_ended(base::Timestamp now);

    std::vector<model::WaitingRow> rows_;
    ByKey<std::size_t> row_of_;  // the first row of each key
    std::optional<base::Timestamp> due_at_;
    std::size_t bytes_ = 0;
    ByKey<Window> windows_;
    Ends ends_;        // of all windows
    Ends follow_ups_;  // of those with repeats
    // Repeats that gather no more, by when they come out: their window has ended or a later one has taken its place.
    using Closed = std::pair<base::Timestamp, std::uint64_t>;  // and when it arrived
    std::map<Closed, Repeat> closed_;
    std::uint64_t arrivals_ = 0;
    std::vector<std::size_t> changed_rows_;
    std::vector<std::pair<std::string, Closed>> changed_repeats_;  // by key, and where they are once they are closed
};

}  // namespace belfry::rules
