#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "codec/json_scan.hpp"
#include "model/raw_json.hpp"

namespace belfry::codec {

// A value as it stands in the text, validated. `compact` gives its bytes without white space between tokens.
struct JsonSpan {
    std::string_view text;
    bool spaced = false;

    void append_compact_to(std::string& out) const;
    [[nodiscard]] model::RawJson compact() const;
};

// May a name stand twice in one object?
enum class Names { once, repeated };

// Reads one JSON text (RFC 8259) from front to back, as its caller asks for it, strictly: UTF-8 only, no lone surrogate
// escapes, no control characters in strings, nothing beyond the grammar, nothing after the value. It copies nothing and
// never recurses; the text must outlive it.
//
//     JsonReader reader(text);
//     TRY(reader.begin_object());
//     std::string_view name;
//     for (;;) {
//         TRY_ASSIGN(const bool more, reader.next_field(name));
//         if (!more) break;
//         if (name == "ttl_s") { TRY_ASSIGN(request.ttl_s, reader.read_integer()); }
//     }
//     TRY(reader.finish());
//
// Errors. What is no JSON is Code::malformed, "line 1, column 17: …" (columns count bytes); after it the reader is of
// no more use. A value of another kind than asked for is Code::invalid, its `field` the path (`bounds.users[2]`), and
// the caller may go on: the next call comes to what follows the value, whether or not it was read.
class JsonReader {
public:
    static constexpr std::size_t levels_max = base::limits::json_depth_max + 8;

    struct Options {
        std::size_t first_line = 1;                            // of this text, for messages
        std::size_t depth_max = base::limits::json_depth_max;  // at most levels_max
    };

    explicit JsonReader(std::string_view text) : JsonReader(text, Options{}) {}
    JsonReader(std::string_view text, Options options);
    JsonReader(const JsonReader&) = delete;
    JsonReader& operator=(const JsonReader&) = delete;

    // The kind of the value that comes next.
    base::Result<model::JsonKind> peek();

    base::Result<void> begin_object(Names names = Names::once);
    // Goes to the next member and gives its name, escapes resolved, valid as long as the reader; false at the object's
    // end, which is then left. A name that stood there before is Code::invalid (unless Names::repeated).
    base::Result<bool> next_field(std::string_view& name);
    // The name that next_field gave, as it stands, in its quotes.
    [[nodiscard]] std::string_view name_token() const { return name_token_; }

    base::Result<void> begin_array();
    // Goes to the next element; false at the array's end, which is then left.
    base::Result<bool> next_element();

    // The text, escapes resolved; valid until the next string is read.
    base::Result<std::string_view> read_string();
    // A number without fraction or exponent that fits 64 bits.
    base::Result<std::int64_t> read_integer();
    // The digits as they stand: 1e400 is a number here, whatever a double can hold.
    base::Result<std::string_view> read_number_text();
    base::Result<bool> read_bool();
    // True, and past it, where the next value is null. False leaves it.
    base::Result<bool> take_null();
    base::Result<void> skip_value();
    base::Result<JsonSpan> raw_value();

    // How many containers are open, and: skip what is left of those beyond the first `depth` and leave them. With the
    // two a caller goes on after a value of the wrong kind somewhere deep.
    [[nodiscard]] std::size_t depth() const { return depth_; }
    base::Result<void> leave_to(std::size_t depth);

    // Nothing but white space follows the value.
    base::Result<void> finish();

    // From here on, paths in errors begin with the value that comes next: for the entries of a batch.
    void begin_paths_here() { path_first_ = depth_; }

    // Code::invalid at the value that comes next, or was read last, in the words of the caller.
    [[nodiscard]] base::Error invalid(std::string message) const;
    // How many bytes were read.
    [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(scan_.at - start_); }

private:
    // Plain members without initialisers, so that a reader costs nothing until it is used.
    struct Name {
        const char* data;
        std::size_t size;
    };
    struct Level {
        bool object;
        Names names;
        std::uint32_t serial;     // tells objects apart in names_spilled_
        std::size_t names_first;  // where this object's names begin in names_
        std::size_t index;        // members or elements so far
        Name name;
    };

    enum class Step { failed, end, item };

    [[nodiscard]] base::Error malformed() const;
    base::Error malformed(const char* problem);
    bool stands_at(char first);
    base::Error wrong_kind(model::JsonKind wanted);
    base::Result<void> begin_container(bool object, Names names);
    // Passes the comma in front of the next member or element, or leaves the container where it ends.
    Step begin_item(char close);
    bool remember_name(std::string_view name);  // false: known already
    bool scan_next_value();
    [[nodiscard]] std::string path() const;
    Level& level() { return levels_[depth_ - 1]; }

    JsonScan scan_;
    const char* start_;
    Options options_;
    bool value_due_ = true;
    std::size_t depth_ = 0;
    std::size_t path_first_ = 0;
    std::size_t names_count_ = 0;
    std::uint32_t serial_ = 0;
    std::string_view name_token_;
    std::string scratch_;
    std::forward_list<std::string> names_resolved_;
    std::set<std::pair<std::uint32_t, std::string_view>> names_spilled_;
    std::array<Name, 32> names_;
    std::array<Level, levels_max> levels_;
};

// One whole JSON text. White space between tokens goes, if there is any; all else stays as it came.
base::Result<model::RawJson> validate(std::string_view text);

}  // namespace belfry::codec
