#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/predicate_check.hpp"
#include "rules/predicate_facts_test.hpp"

namespace belfry::rules {
namespace {

using model::Value;
using Kind = PredicateNode::Kind;

// Makes trees and facts out of bytes, so that fewer bytes make smaller ones. Where they end come zeros.
class Maker {
public:
    explicit Maker(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

    PredicateNode node(int depth = 0) {
        PredicateNode made;
        const std::size_t choice = below(depth < 4 ? 8 : 4);
        if (choice == 3) {
            made.kind = Kind::exists;
            made.left = path();
            return made;
        }
        if (choice == 2) {
            made.kind = Kind::linked;
            made.relation = pick({"project", "parent", "odd \"one\"", "ä\n"});
            if (below(2) == 1) made.linked_id = pick({"p-1", "p-2", "'"});
            return made;
        }
        if (choice < 4) return test();
        made.kind = choice == 7 ? Kind::negation : choice == 6 ? Kind::any_of : Kind::all_of;
        const std::size_t parts = made.kind == Kind::negation ? 1 : 2 + below(2);
        for (std::size_t i = 0; i < parts; ++i) made.parts.push_back(node(depth + 1));
        return made;
    }

    Value facts() {
        Value roots = Value::object();
        for (const std::string_view root : test_roots) {
            if (below(4) == 3) continue;
            Value& made = roots.append(root, Value::object());
            for (const char* name : {"severity", "a", "in", "odd key"}) {
                if (below(3) > 0) made.append(name, value());
            }
        }
        return roots;
    }

private:
    std::size_t below(std::size_t bound) { return at_ < bytes_.size() ? bytes_[at_++] % bound : 0; }

    std::string pick(std::vector<std::string> from) { return from[below(from.size())]; }

    Value value(int depth = 0) {
        static const std::vector<std::string_view> some{"null",     "true",      "false",        "0",
                                                        "1",        "1.0",       "-2.5",         "1e300",
                                                        "\"\"",     "\"a\"",     "\"ab\"",       "\"b\\\"\\u0000c\"",
                                                        "\"info\"", "\"error\"", "\"critical\"", "[]"};
        if (depth < 2 && below(4) == 3) {
            Value list = Value::array();
            for (std::size_t i = below(4); i > 0; --i) list.push(value(depth + 1));
            return list;
        }
        return model::value_from({some[below(some.size())]});
    }

    PredicatePath path() {
        PredicatePath made{std::string(test_roots[below(test_roots.size())]), {}};
        static constexpr std::size_t counts[] = {1, 1, 1, 2, 0};
        for (std::size_t i = counts[below(5)]; i > 0; --i) {
            if (below(4) == 3) {
                made.steps.emplace_back(static_cast<std::uint32_t>(below(3)));
            } else {
                made.steps.emplace_back(pick({"a", "severity", "in", "odd key", "a", "", "not"}));
            }
        }
        return made;
    }

    PredicateOperand operand() {
        if (below(2) == 0) return path();
        return value();
    }

    PredicateNode test() {
        PredicateNode made;
        made.kind = static_cast<Kind>(static_cast<std::size_t>(Kind::equal) + below(9));
        made.left = operand();
        made.right = operand();
        if (fault_of(made)) made.left = PredicatePath{"payload", {"a"}};
        if (fault_of(made)) made.right = PredicatePath{"task", {"a"}};
        return made;
    }

    std::vector<std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

rc::Gen<std::vector<std::uint8_t>> some_bytes() {
    return rc::gen::resize(150, rc::gen::arbitrary<std::vector<std::uint8_t>>());
}

// The language said once more in the plainest way, over values that it tells apart by one letter for their type.
class Naive {
public:
    explicit Naive(const Value& roots) : roots_(roots), links_(Value()) {}

    [[nodiscard]] bool holds(const PredicateNode& node) const {
        if (node.kind == Kind::all_of || node.kind == Kind::any_of) {
            std::size_t count = 0;
            for (const PredicateNode& part : node.parts) count += holds(part) ? 1U : 0U;
            return node.kind == Kind::any_of ? count > 0 : count == node.parts.size();
        }
        if (node.kind == Kind::negation) return !holds(node.parts.at(0));
        if (node.kind == Kind::linked) {
            return node.linked_id ? links_.is_linked(node.relation, *node.linked_id)
                                  : links_.is_linked(node.relation, std::nullopt);
        }
        if (node.kind == Kind::exists) return found(std::get<PredicatePath>(node.left)).first;
        return tested(node, value(node.left), value(node.right));
    }

private:
    [[nodiscard]] std::pair<bool, Value> found(const PredicatePath& path) const {
        Value at = roots_;
        std::vector<PathStep> steps{path.root};
        steps.insert(steps.end(), path.steps.begin(), path.steps.end());
        for (const PathStep& step : steps) {
            bool there = false;
            Value next;
            std::uint32_t place = 0;
            for (const Value& item : at.items()) {
                if (step == PathStep(place++)) next = item, there = true;
            }
            for (const model::Member& member : at.members()) {
                if (step == PathStep(std::string(member.key()))) next = member.value, there = true;
            }
            if (!there) return {false, Value()};
            at = next;
        }
        return {true, at};
    }

    [[nodiscard]] Value value(const PredicateOperand& operand) const {
        return operand.index() == 0 ? std::get<Value>(operand) : found(std::get<PredicatePath>(operand)).second;
    }

    static char type(const Value& value) {
        if (value.is_number()) return 'n';
        if (value.is_string()) return 't';
        if (value.is_array()) return 'l';
        return value.is_object() ? 'o' : value.is_null() ? '0' : 'b';
    }

    static bool same(const Value& a, const Value& b) {
        if (type(a) != type(b)) return false;
        if (type(a) == 'n') return a.to_real() == b.to_real();
        if (type(a) != 'l') return model::to_json(a) == model::to_json(b);
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!same(a.items()[i], b.items()[i])) return false;
        }
        return true;
    }

    static bool has(const Value& list, const Value& wanted) {
        std::size_t count = 0;
        for (const Value& item : list.items()) count += same(item, wanted) ? 1U : 0U;
        return count > 0;
    }

    static int rank(std::string_view text) {
        const std::vector<std::string_view> names{"debug", "info", "warning", "error", "critical"};
        const auto at = std::ranges::find(names, text);
        return at == names.end() ? -1 : static_cast<int>(at - names.begin());
    }

    static bool tested(const PredicateNode& node, const Value& a, const Value& b) {
        const std::string left(a.text());
        const std::string right(b.text());
        switch (node.kind) {
            case Kind::equal: return same(a, b);
            case Kind::not_equal: return !same(a, b);
            case Kind::in: return has(b, a);
            case Kind::contains:
                if (type(a) == 't') return type(b) == 't' && left.find(right) != std::string::npos;
                return has(a, b);
            case Kind::starts_with: return type(a) == 't' && type(b) == 't' && left.substr(0, right.size()) == right;
            default: break;
        }
        if (type(a) != type(b) || (type(a) != 'n' && type(a) != 't')) return false;
        int sign = type(a) == 'n' ? (a.to_real() > b.to_real()) - (a.to_real() < b.to_real()) : left.compare(right);
        const PredicateOperand severity = PredicatePath{"event", {"severity"}};
        if (node.left == severity || node.right == severity) {
            if (rank(left) < 0 || rank(right) < 0) return false;
            sign = rank(left) - rank(right);
        }
        switch (node.kind) {
            case Kind::less: return sign < 0;
            case Kind::less_or_equal: return sign <= 0;
            case Kind::greater: return sign > 0;
            default: return sign >= 0;
        }
    }

    const Value& roots_;
    TestFacts links_;
};

std::string text_of(const PredicateNode& node) {
    std::string text;
    append_text(text, node);
    return text;
}

TEST(PredicateProperty, what_is_written_reads_back_as_the_same_tree) {
    EXPECT_TRUE(rc::check([] {
        const PredicateNode tree = Maker(*some_bytes()).node();
        const std::string text = text_of(tree);
        RC_PRE(text.size() <= 4096U);
        RC_LOG() << text << '\n';
        const auto read = Predicate::parse(text, test_roots);
        if (!read.ok()) RC_LOG() << read.error().message << '\n';
        RC_ASSERT(read.ok());
        RC_ASSERT((read->tree() == tree));
        RC_ASSERT(read->text() == text);
    }));
}

TEST(PredicateProperty, answers_as_the_plainest_reading_does) {
    int held = 0;
    int asked = 0;
    EXPECT_TRUE(rc::check([&] {
        const std::string text = text_of(Maker(*some_bytes()).node());
        RC_PRE(text.size() <= 4096U);
        RC_LOG() << text << '\n';
        const auto read = Predicate::parse(text, test_roots);
        RC_ASSERT(read.ok());
        for (int i = 0; i < 20; ++i) {
            const Value roots = Maker(*some_bytes()).facts();
            RC_LOG() << model::to_json(roots) << '\n';
            const bool holds = read->holds(TestFacts(roots));
            RC_ASSERT(holds == Naive(roots).holds(read->tree()));
            held += holds ? 1 : 0;
            ++asked;
        }
    }));
    // The trees are no good if they all answer alike.
    EXPECT_GT(held, asked / 10);
    EXPECT_LT(held, asked * 9 / 10);
}

}  // namespace
}  // namespace belfry::rules
