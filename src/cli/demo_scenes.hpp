#pragma once

#include <span>

#include "host/shipped_subscribers.hpp"

namespace belfry::cli {

using host::EmbeddedFile;

// The files of the folder `demo`, carried by the binary.
std::span<const EmbeddedFile> demo_scenes();

}  // namespace belfry::cli
