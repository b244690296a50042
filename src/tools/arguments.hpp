#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/raw_json.hpp"

namespace belfry::tools {

// The arguments of one call, by name. They have passed the tool's schema, so that kinds are right and what is required
// is there; what a schema cannot say is refused here.
class Arguments {
public:
    explicit Arguments(model::JsonView object, std::string place = {}) : object_(object), place_(std::move(place)) {}

    // Whether it is given, and not null.
    [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
    // Whether it is given as null: to be taken away.
    [[nodiscard]] bool is_null(std::string_view name) const;

    // Empty, false, nothing, no entries: where it is not given.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] bool flag(std::string_view name, bool otherwise = false) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
    [[nodiscard]] std::optional<double> real(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] std::vector<Arguments> objects(std::string_view name) const;
    base::Result<std::optional<base::Timestamp>> time(std::string_view name) const;
    base::Result<base::Timestamp> required_time(std::string_view name) const;

    // `upserts[2].startTime`: for an error about it.
    [[nodiscard]] std::string place_of(std::string_view name) const;
    [[nodiscard]] base::Error wrong(std::string_view name, std::string message) const;

private:
    [[nodiscard]] std::optional<model::JsonView> find(std::string_view name) const;

    model::JsonView object_;
    std::string place_;  // where it stands in the call; empty: it is the call's
};

}  // namespace belfry::tools
