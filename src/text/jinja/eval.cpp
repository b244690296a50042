#include "text/jinja/interpreter.hpp"
#include "text/jinja/ops.hpp"

namespace belfry::text::jinja {

// The evaluated arguments of one call; few of them live on the stack.
class Arguments {
public:
    // `extra`: one more keyword argument, such as the caller of a call block.
    Arguments(Interpreter& in, const Expr& expr, Frame& frame, std::size_t from,
              const std::pair<std::string_view, Val>* extra = nullptr) {
        const std::size_t plain = expr.kids.size() - from;
        if (plain <= small_max && expr.named.size() <= small_max && expr.spread == nullptr &&
            expr.spread_named == nullptr && extra == nullptr) {
            for (std::size_t i = 0; i < plain; ++i) small_[i] = in.eval(*expr.kids[from + i], frame);
            for (std::size_t i = 0; i < expr.named.size(); ++i) {
                small_named_[i] = {expr.named[i].first, in.eval(*expr.named[i].second, frame)};
            }
            call_ = {{small_, plain}, {small_named_, expr.named.size()}};
            return;
        }
        for (std::size_t i = 0; i < plain; ++i) large_.push_back(in.eval(*expr.kids[from + i], frame));
        if (expr.spread != nullptr) {
            const Items items(in.arena(), in.eval(*expr.spread, frame));
            in.charge(items.size());
            for (std::size_t i = 0; i < items.size(); ++i) large_.push_back(items.at(i));
        }
        for (const auto& [name, value] : expr.named) large_named_.emplace_back(name, in.eval(*value, frame));
        if (expr.spread_named != nullptr) spread(in, in.eval(*expr.spread_named, frame));
        if (extra != nullptr) large_named_.push_back(*extra);
        call_ = {large_, large_named_};
    }

    [[nodiscard]] const Call& call() const { return call_; }

private:
    static constexpr std::size_t small_max = 4;

    void spread(Interpreter& in, const Val& dict) {
        if (!dict.is_dict()) fail("argument after ** must be a mapping, not " + std::string(type_name(dict)));
        const Items keys(in.arena(), dict);
        in.charge(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const Val key = keys.at(i);
            if (!key.is_string()) fail("keywords must be strings");
            Val value;
            dict_get(in, dict, key, value);
            in.charge((keys.size() + large_named_.size()) / 8);
            for (const auto& [name, other] : large_named_) {
                if (name == key.text()) fail("got multiple values for keyword argument '" + std::string(name) + "'");
            }
            large_named_.emplace_back(key.text(), value);
        }
    }

    // Left as they are until something is put there: most calls have no arguments at all.
    union {
        Val small_[small_max];
    };
    union {
        std::pair<std::string_view, Val> small_named_[small_max];
    };
    std::vector<Val> large_;
    std::vector<std::pair<std::string_view, Val>> large_named_;
    Call call_;
};

namespace {
// A filter or test without arguments.
bool is_bare(const Expr& expr) {
    return expr.kids.size() == 1 && expr.named.empty() && expr.spread == nullptr && expr.spread_named == nullptr;
}
}  // namespace

Val Interpreter::eval(const Expr& expr, Frame& frame) {
    charge(1);
    switch (expr.kind) {
        case ExprKind::constant: return expr.constant;
        case ExprKind::name: {
            const Val& value = variable(expr.slot, frame);
            return value.is(Kind::missing) ? undefined(expr.text) : value;
        }
        case ExprKind::attribute: return eval_attribute(expr, frame);
        case ExprKind::item: {
            const Val object = eval(*expr.kids[0], frame);
            const Val key = eval(*expr.kids[1], frame);
            place_ = expr.place;
            return item(object, key);
        }
        case ExprKind::slice: return eval_slice(expr, frame);
        case ExprKind::filter:
            return eval_filter(expr, frame, expr.kids[0] == nullptr ? *pending_ : eval(*expr.kids[0], frame));
        case ExprKind::call: return eval_call(expr, frame);
        case ExprKind::test: return eval_test(expr, frame);
        case ExprKind::compare: return eval_compare(expr, frame);
        case ExprKind::condition:
            if (truthy(eval(*expr.kids[0], frame))) return eval(*expr.kids[1], frame);
            return expr.kids[2] == nullptr ? undefined({}) : eval(*expr.kids[2], frame);
        case ExprKind::logic_or: {
            const Val left = eval(*expr.kids[0], frame);
            return truthy(left) ? left : eval(*expr.kids[1], frame);
        }
        case ExprKind::logic_and: {
            const Val left = eval(*expr.kids[0], frame);
            return truthy(left) ? eval(*expr.kids[1], frame) : left;
        }
        case ExprKind::logic_not: return boolean(!truthy(eval(*expr.kids[0], frame)));
        case ExprKind::list: return eval_sequence(expr, frame, Flavour::list);
        case ExprKind::tuple: return eval_sequence(expr, frame, Flavour::tuple);
        case ExprKind::dict: return eval_dict(expr, frame);
        case ExprKind::concat: return eval_concat(expr, frame);
        default: return eval_binary(expr, frame);
    }
}

// Apart, so that whoever finds a short key at its hint need not make room for the search.
[[gnu::noinline]] Val Interpreter::find_member(const Expr& expr, std::span<const model::Member> members,
                                               std::uint32_t& hint) {
    if (hint < members.size() && members[hint].name.same_text(expr.key)) return view(members[hint].value);
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!members[i].name.same_text(expr.key)) continue;
        hint = static_cast<std::uint32_t>(i);
        charge(i / 16);
        return view(members[i].value);
    }
    charge(members.size() / 16);
    return undefined(expr.text);
}

// Rows of one table have their keys in one order, so a key is looked for where it was found last.
inline Val Interpreter::attribute_of(const Expr& expr, const Val& object) {
    if (object.is(Kind::object) && expr.key.is_string()) {
        const auto members = object.tree->members();
        std::uint32_t& hint = hints_[expr.hint];
        if (hint < members.size() && expr.key.is_flat() && members[hint].name.same_text(expr.key)) [[likely]]
            return view(members[hint].value);
        return find_member(expr, members, hint);
    }
    place_ = expr.place;
    return attribute(object, expr.text);
}

// Values are passed by reference here and looked at part by part: one that was just written and is loaded as a whole
// waits for its own stores.
Val Interpreter::eval_attribute(const Expr& expr, Frame& frame) {
    const Expr& base = *expr.kids[0];
    charge(1);
    if (base.kind == ExprKind::name) {
        const Val& object = variable(base.slot, frame);
        if (object.is(Kind::missing)) return attribute_of(expr, undefined(base.text));
        return attribute_of(expr, object);
    }
    return attribute_of(expr, base.kind == ExprKind::attribute ? eval_attribute(base, frame) : eval(base, frame));
}

Val Interpreter::eval_binary(const Expr& expr, Frame& frame) {
    const Val a = eval(*expr.kids[0], frame);
    if (expr.kind == ExprKind::negative || expr.kind == ExprKind::positive) {
        place_ = expr.place;
        return expr.kind == ExprKind::negative ? negate(a) : affirm(a);
    }
    const Val b = eval(*expr.kids[1], frame);
    place_ = expr.place;
    switch (expr.kind) {
        case ExprKind::add: return add(*this, a, b);
        case ExprKind::subtract: return subtract(a, b);
        case ExprKind::multiply: return multiply(*this, a, b);
        case ExprKind::divide: return divide(a, b);
        case ExprKind::floor_divide: return floor_divide(a, b);
        case ExprKind::modulo: return modulo(*this, a, b);
        default: return power(a, b);
    }
}

Val Interpreter::eval_compare(const Expr& expr, Frame& frame) {
    Val left = eval(*expr.kids[0], frame);
    for (std::size_t i = 0; i < expr.operators.size(); ++i) {
        const Val right = eval(*expr.kids[i + 1], frame);
        place_ = expr.place;
        if (!compare(*this, expr.operators[i], left, right)) return boolean(false);
        left = right;
    }
    return boolean(true);
}

Val Interpreter::eval_sequence(const Expr& expr, Frame& frame, Flavour flavour) {
    List* list = make_list(flavour, expr.kids.size());
    for (const Expr* kid : expr.kids) list->items.push(arena_, eval(*kid, frame));
    return make(list);
}

Val Interpreter::eval_dict(const Expr& expr, Frame& frame) {
    Dict* dict = arena_.make<Dict>();
    for (std::size_t i = 0; i + 1 < expr.kids.size(); i += 2) {
        const Val key = eval(*expr.kids[i], frame);
        const Val value = eval(*expr.kids[i + 1], frame);
        place_ = expr.place;
        charge(dict->entries.size() / 8);
        dict_set(*this, arena_, dict->entries, key, value);
    }
    return make(dict);
}

Val Interpreter::eval_slice(const Expr& expr, Frame& frame) {
    const Val object = eval(*expr.kids[0], frame);
    Val parts[3];
    for (std::size_t i = 0; i < 3; ++i) {
        const Expr* part = expr.kids[i + 1];
        parts[i] = part == nullptr ? none() : eval(*part, frame);
    }
    place_ = expr.place;
    return slice(*this, object, parts[0], parts[1], parts[2]);
}

Val Interpreter::eval_concat(const Expr& expr, Frame& frame) {
    std::string out;
    for (const Expr* kid : expr.kids) append_str(*this, out, eval(*kid, frame));
    return text(out);
}

Val Interpreter::eval_filter(const Expr& expr, Frame& frame, const Val& subject) {
    place_ = expr.place;
    if (is_bare(expr) && expr.filter != nullptr) return expr.filter(*this, subject, {});
    const Arguments arguments(*this, expr, frame, 1);
    place_ = expr.place;
    if (expr.filter == nullptr) fail("No filter named '" + std::string(expr.text) + "' found.");
    return expr.filter(*this, subject, arguments.call());
}

Val Interpreter::eval_test(const Expr& expr, Frame& frame) {
    const Val subject = eval(*expr.kids[0], frame);
    place_ = expr.place;
    if (is_bare(expr) && expr.test != nullptr) return boolean(expr.test(*this, subject, {}));
    const Arguments arguments(*this, expr, frame, 1);
    place_ = expr.place;
    if (expr.test == nullptr) fail("No test named '" + std::string(expr.text) + "' found.");
    return boolean(expr.test(*this, subject, arguments.call()));
}

Val Interpreter::eval_call(const Expr& expr, Frame& frame) {
    const Expr& callee = *expr.kids[0];
    // A call block hands its body on as a keyword argument.
    const std::pair<std::string_view, Val> caller{"caller", pending_ == nullptr ? Val{} : *pending_};
    const std::pair<std::string_view, Val>* extra =
        pending_ != nullptr && pending_->is(Kind::macro) ? &caller : nullptr;
    pending_ = nullptr;
    if (callee.kind == ExprKind::attribute && extra == nullptr) {
        // A method is called without being made a value first.
        const Val object = eval(*callee.kids[0], frame);
        place_ = callee.place;
        if (has_method(object, callee.text)) {
            const Arguments arguments(*this, expr, frame, 1);
            place_ = expr.place;
            return call_method(*this, object, callee.text, arguments.call());
        }
        const Val function = attribute(object, callee.text);
        const Arguments arguments(*this, expr, frame, 1);
        place_ = expr.place;
        return call(function, arguments.call());
    }
    const Val function = eval(callee, frame);
    const Arguments arguments(*this, expr, frame, 1, extra);
    place_ = expr.place;
    return call(function, arguments.call());
}

}  // namespace belfry::text::jinja
