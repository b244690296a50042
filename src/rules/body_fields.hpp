#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"

// The body of a record as devices exchange it, field by field: names sorted, times as whole microseconds, and null
// where there is nothing.
namespace belfry::rules {

class BodyWriter {
public:
    void raw(std::string_view name, std::string_view json) { members_.insert_or_assign(std::string(name), json); }
    void null(std::string_view name) { raw(name, "null"); }
    void text(std::string_view name, std::string_view text);  // null where it is empty
    void number(std::string_view name, std::int64_t number) { raw(name, std::to_string(number)); }
    void number(std::string_view name, const std::optional<std::int64_t>& number);
    void flag(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
    void time(std::string_view name, base::Timestamp time) { number(name, time.us); }
    void time(std::string_view name, const std::optional<base::Timestamp>& time);
    void id(std::string_view name, const std::optional<base::Uuid>& id);
    void texts(std::string_view name, const std::vector<std::string>& texts);
    template <class Append>
    void value(std::string_view name, Append&& append) {
        std::string json;
        model::JsonWriter writer(json);
        append(writer);
        raw(name, json);
    }
    [[nodiscard]] model::RawJson take() const;

private:
    std::map<std::string, std::string, std::less<>> members_;  // as JSON
};

// What is missing is null. What is of another kind than was asked for is a fault, the first of which is told at the
// end.
class BodyReader {
public:
    explicit BodyReader(model::JsonView body, std::string prefix = {});

    [[nodiscard]] std::string text(std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> maybe_number(std::string_view name);
    [[nodiscard]] std::int64_t number(std::string_view name) { return maybe_number(name).value_or(0); }
    [[nodiscard]] bool flag(std::string_view name);
    [[nodiscard]] std::optional<base::Timestamp> maybe_time(std::string_view name);
    [[nodiscard]] base::Timestamp time(std::string_view name) { return maybe_time(name).value_or(base::Timestamp{}); }
    [[nodiscard]] std::optional<base::Uuid> maybe_id(std::string_view name);
    [[nodiscard]] std::vector<std::string> texts(std::string_view name);
    [[nodiscard]] model::RawJson object(std::string_view name);  // the empty one where there is none
    [[nodiscard]] std::optional<model::JsonView> value(std::string_view name) const;
    // One of those that `parse` knows.
    template <class Parse>
    auto choice(std::string_view name, Parse&& parse) {
        const auto read = parse(text(name));
        if (!read) fault(name, "is none of those that there are");
        return read.value_or(typename std::remove_cvref_t<decltype(read)>::value_type{});
    }
    void fault(std::string_view name, std::string why);
    [[nodiscard]] const std::map<std::string, model::JsonView, std::less<>>& members() const { return members_; }
    [[nodiscard]] base::Result<void> done() const;

private:
    [[nodiscard]] const model::JsonView* find(std::string_view name, model::JsonKind kind);

    std::string prefix_;
    std::map<std::string, model::JsonView, std::less<>> members_;
    std::optional<base::Error> fault_;
};

}  // namespace belfry::rules
