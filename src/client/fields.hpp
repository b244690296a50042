#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/raw_json.hpp"

namespace belfry::client {

// Somebody else than Belfry answers at that address.
base::Error strange(std::string_view what);

// A small answer as a whole, and typed access to its members. What is absent or null is empty or 0.
class Fields {
public:
    explicit Fields(model::JsonView view) : view_(view) {}

    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view name) const;  // nothing where it is none
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] model::Sequence sequence(std::string_view name) const {
        return static_cast<model::Sequence>(number(name));
    }
    // The empty object where it is none.
    [[nodiscard]] model::RawJson object(std::string_view name) const;
    [[nodiscard]] std::optional<model::JsonView> member(std::string_view name) const { return view_.member(name); }

    // Hands on the elements of an array; nothing where it is none.
    template <class Take>
    void each(std::string_view name, Take&& take) const {
        const auto value = view_.member(name);
        if (!value || value->kind() != model::JsonKind::array) return;
        model::JsonWalker walker(*value);
        while (const auto element = walker.next()) take(*element);
    }

private:
    model::JsonView view_;
};

// A valid JSON object that has the member `needed`.
base::Result<model::RawJson> read_object(std::string_view body, std::string_view needed);

}  // namespace belfry::client
