#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "model/journal_fields.hpp"

namespace belfry::tools {

// A wish for a record, field by field: `WishOf<Task>().set(&Task::title, title)`.
template <class T>
class WishOf {
public:
    WishOf() { wish_.values = T{}; }

    template <class Member, class Value>
    WishOf& set(Member T::* member, Value&& value) {
        std::get<T>(wish_.values).*member = std::forward<Value>(value);
        Place<Member> place{member};
        model::describe(place, std::type_identity<T>{});
        wish_.given |= 1U << place.found;
        return *this;
    }
    WishOf& category(std::string id) {
        wish_.category_id = std::move(id);
        return *this;
    }

    // Whether anything is wished for.
    [[nodiscard]] bool is_empty() const { return wish_.given == 0 && !wish_.category_id; }
    operator const model::JournalWish&() const { return wish_; }  // NOLINT: implicit on purpose

private:
    // Looks for the place of one field among those of its kind.
    template <class Member>
    struct Place {
        Member T::* wanted;
        std::uint32_t at = 0;
        std::uint32_t found = 0;

        template <class Other>
        void look(Other T::* member) {
            if constexpr (std::is_same_v<Member, Other>) {
                if (member == wanted) found = at;
            }
            ++at;
        }
        template <class M, class... Rest>
        void text(std::string_view, M member, const Rest&...) {
            look(member);
        }
        template <class M, class... Rest>
        void date(std::string_view, M member, const Rest&...) {
            look(member);
        }
        template <class M, class... Rest>
        void choice(std::string_view, M member, const Rest&...) {
            look(member);
        }
        template <class M, class... Rest>
        void integer(std::string_view, M member, const Rest&...) {
            look(member);
        }
        template <class M>
        void flag(std::string_view, M member) {
            look(member);
        }
        template <class M>
        void time(std::string_view, M member) {
            look(member);
        }
        template <class M, class... Rest>
        void reference(std::string_view, M member, const Rest&...) {
            look(member);
        }
        template <class M, class... Rest>
        void references(std::string_view, M member, const Rest&...) {
            look(member);
        }
        template <class M>
        void blocks(std::string_view, M member) {
            look(member);
        }
    };

    model::JournalWish wish_;
};

}  // namespace belfry::tools
