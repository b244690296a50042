#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "text/jinja/library.hpp"

// Each file of filters names what it has; library.cpp puts them into one table.
namespace belfry::text::jinja {

struct FilterEntry {
    std::string_view name;
    FilterFunction function;
};

std::vector<FilterEntry> text_filters();
std::vector<FilterEntry> number_filters();
std::vector<FilterEntry> list_filters();
std::vector<FilterEntry> order_filters();
std::vector<FilterEntry> belfry_filters();

// Follows an attribute such as `a.b.0`, or an index, from an item; none leads to the item itself.
class AttributeGetter {
public:
    AttributeGetter(Interpreter& in, const Val& attribute, const Val& otherwise = none());
    Val operator()(const Val& item) const;

private:
    Interpreter& in_;
    struct Part {
        Val key;
        model::Value name;             // where the key is a string
        mutable std::size_t hint = 0;  // where it was found last
    };
    [[nodiscard]] Val step(const Val& value, const Part& part) const;
    [[nodiscard]] Val search(const Val& value, const Part& part) const;

    std::vector<Part> parts_;
    Val otherwise_;
};

// Strings in lower case, as orders that ignore case compare them; anything else as it is.
Val ignore_case(Interpreter& in, const Val& value);

// The text of the filter tojson, without its escapes for HTML.
void append_python_json(Meter& meter, std::string& out, const Val& value, const Val& indent);

}  // namespace belfry::text::jinja
