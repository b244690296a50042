#include "rules/canonical_json.hpp"

#include <algorithm>
#include <vector>

#include "model/number.hpp"
#include "model/value_json.hpp"

namespace belfry::rules {
namespace {

using model::Member;
using model::Value;

void append_object(std::string& out, const Value& object) {
    std::vector<const Member*> sorted;
    sorted.reserve(object.size());
    for (const Member& member : object.members()) sorted.push_back(&member);
    std::ranges::sort(sorted, {}, [](const Member* member) { return member->key(); });
    out += '{';
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i > 0) out += ',';
        model::append_json(out, sorted[i]->name);
        out += ':';
        append_canonical_json(out, sorted[i]->value);
    }
    out += '}';
}

void append_array(std::string& out, const Value& array) {
    out += '[';
    bool first = true;
    for (const Value& item : array.items()) {
        if (!first) out += ',';
        first = false;
        append_canonical_json(out, item);
    }
    out += ']';
}

}  // namespace

void append_canonical_json(std::string& out, const Value& value) {
    switch (value.kind()) {
        case Value::Kind::object: append_object(out, value); return;
        case Value::Kind::real: model::append_real(out, value.as_real()); return;
        case Value::Kind::array: append_array(out, value); return;
        default: model::append_json(out, value);
    }
}

}  // namespace belfry::rules
