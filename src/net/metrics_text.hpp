#pragma once

#include <string>

#include "ports/metrics.hpp"
#include "ports/reading.hpp"

namespace belfry::net {

// The figures in Prometheus' text exposition format, version 0.0.4.
void append_metrics_text(std::string& out, const ports::Metrics& metrics);
void append_open_text(std::string& out, const ports::OpenFigures& open);

}  // namespace belfry::net
