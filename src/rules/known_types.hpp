#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/raw_json.hpp"
#include "model/severity.hpp"

namespace belfry::rules {

enum class PayloadKind { text, number, any };

struct PayloadField {
    std::string_view name;
    PayloadKind kind;
    bool required;
};

// An event type that Belfry itself understands: its severity when the producer names none, and what its payload holds.
struct KnownType {
    std::string_view type;
    model::Severity severity;
    std::span<const PayloadField> fields;
};

inline constexpr std::size_t known_fields_max = 5;

// Nothing for types that only their users know: those are allowed, unchecked.
const KnownType* find_known_type(std::string_view type);
std::span<const KnownType> known_types();

}  // namespace belfry::rules
