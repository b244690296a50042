#include "rules/journal_wish.hpp"

#include <map>
#include <unordered_set>

#include "base/assert.hpp"
#include "model/journal_fields.hpp"
#include "rules/journal_visitor.hpp"

namespace belfry::rules {
namespace {

std::vector<std::string> each_once(const std::vector<std::string>& ids) {
    std::vector<std::string> kept;
    std::unordered_set<std::string_view> seen;
    for (const std::string& id : ids) {
        if (seen.insert(id).second) kept.push_back(id);
    }
    return kept;
}

// Those that begin together stay in their order.
std::vector<model::PlanBlock> by_start(const std::vector<model::PlanBlock>& blocks) {
    std::multimap<base::Timestamp, const model::PlanBlock*> sorted;
    for (const model::PlanBlock& block : blocks) sorted.emplace(block.start_at, &block);
    std::vector<model::PlanBlock> kept;
    for (const auto& [start, block] : sorted) kept.push_back(*block);
    return kept;
}

template <class T>
class WishVisitor {
public:
    WishVisitor(T& body, const T& values, std::uint32_t given, WishFor what)
        : body_(body), values_(values), given_(given), what_(what) {}

    [[nodiscard]] base::Result<bool> take() {
        if (!refused_.empty()) {
            return base::error(base::Code::invalid, "stays as it was made", std::move(refused_));
        }
        return is_changed_;
    }

    void text(std::string_view name, std::string T::* member, const model::TextRule& rule) {
        put(name, member, values_.*member, rule.fixed);
    }
    void date(std::string_view name, std::string T::* member, const model::FieldRule& rule) {
        put(name, member, values_.*member, rule.fixed);
    }
    template <class Enum, std::size_t count>
    void choice(std::string_view name, Enum T::* member, const std::array<std::string_view, count>&,
                const model::FieldRule& rule) {
        put(name, member, values_.*member, rule.fixed);
    }
    template <class Member>
    void integer(std::string_view name, Member T::* member, const model::IntegerRule&) {
        put(name, member, values_.*member, false);
    }
    void flag(std::string_view name, bool T::* member) { put(name, member, values_.*member, false); }
    template <class Member>
    void time(std::string_view name, Member T::* member) {
        put(name, member, values_.*member, false);
    }
    void reference(std::string_view name, std::string T::* member, model::JournalKind, const model::FieldRule& rule) {
        put(name, member, values_.*member, rule.fixed);
    }
    void references(std::string_view name, std::vector<std::string> T::* member, model::JournalKind) {
        put(name, member, each_once(values_.*member), false);
    }
    void blocks(std::string_view name, std::vector<model::PlanBlock> T::* member) {
        put(name, member, by_start(values_.*member), false);
    }

private:
    template <class Member>
    void put(std::string_view name, Member T::* member, Member value, bool is_fixed) {
        const bool is_named = (given_ >> place_++ & 1U) != 0;
        if (!is_named || body_.*member == value) return;
        if (is_fixed && what_ == WishFor::change) {
            if (refused_.empty()) refused_ = name;
            return;
        }
        body_.*member = std::move(value);
        is_changed_ = true;
    }

    T& body_;
    const T& values_;
    std::uint32_t given_;
    WishFor what_;
    std::uint32_t place_ = 0;
    bool is_changed_ = false;
    std::string refused_;
};

// Looks for the place of one field.
template <class T>
class PlaceVisitor {
public:
    explicit PlaceVisitor(std::string_view wanted) : wanted_(wanted) {}
    [[nodiscard]] std::optional<std::uint32_t> found() const { return found_; }

    template <class... Rest>
    void text(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void date(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void choice(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void integer(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void flag(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void time(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void reference(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void references(std::string_view name, const Rest&...) {
        look(name);
    }
    template <class... Rest>
    void blocks(std::string_view name, const Rest&...) {
        look(name);
    }

private:
    void look(std::string_view name) {
        if (name == wanted_) found_ = place_;
        ++place_;
    }

    std::string_view wanted_;
    std::uint32_t place_ = 0;
    std::optional<std::uint32_t> found_;
};

}  // namespace

base::Result<bool> apply_wish(model::JournalBody& body, const model::JournalWish& wish, WishFor what) {
    ASSERT(body.index() == wish.values.index());
    return std::visit(
        [&]<class T>(T& into) {
            WishVisitor<T> visit(into, std::get<T>(wish.values), wish.given, what);
            describe(visit, std::type_identity<T>{});
            return visit.take();
        },
        body);
}

bool is_given(const model::JournalWish& wish, std::string_view name) {
    return std::visit(
        [&]<class T>(const T&) {
            PlaceVisitor<T> visit(name);
            describe(visit, std::type_identity<T>{});
            return visit.found() && (wish.given >> *visit.found() & 1U) != 0;
        },
        wish.values);
}

}  // namespace belfry::rules
