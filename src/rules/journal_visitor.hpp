#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal_fields.hpp"

namespace belfry::rules {

template <class T>
[[nodiscard]] model::JournalKind kind_of() {
    return static_cast<model::JournalKind>(model::JournalBody(std::in_place_type<T>).index());
}

// A visitor of fields that wants to know of none. Who derives from it says what he wants to know of.
template <class T>
struct FieldVisitor {
    void text(std::string_view, std::string T::*, const model::TextRule&) {}
    void date(std::string_view, std::string T::*, const model::FieldRule&) {}
    template <class Enum, std::size_t count>
    void choice(std::string_view, Enum T::*, const std::array<std::string_view, count>&, const model::FieldRule&) {}
    template <class Member>
    void integer(std::string_view, Member T::*, const model::IntegerRule&) {}
    void flag(std::string_view, bool T::*) {}
    template <class Member>
    void time(std::string_view, Member T::*) {}
    void reference(std::string_view, std::string T::*, model::JournalKind, const model::FieldRule&) {}
    void references(std::string_view, std::vector<std::string> T::*, model::JournalKind) {}
    void blocks(std::string_view, std::vector<model::PlanBlock> T::*) {}
};

}  // namespace belfry::rules
