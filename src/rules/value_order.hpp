#pragma once

#include <compare>

#include "model/value.hpp"

namespace belfry::rules {

// Numbers by their value, whatever their kinds; texts by their bytes, which is by their code points. Values of any
// other kinds, or of different ones, have no order.
std::partial_ordering order_of(const model::Value& a, const model::Value& b);

}  // namespace belfry::rules
