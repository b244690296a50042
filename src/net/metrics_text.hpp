#pragma once

#include <string>

#include "ports/metrics.hpp"

namespace belfry::net {

// The figures in Prometheus' text exposition format, version 0.0.4.
void append_metrics_text(std::string& out, const ports::Metrics& metrics);

}  // namespace belfry::net
