#pragma once

#include <string>

#include "base/result.hpp"
#include "model/subscriber.hpp"

namespace belfry::host {

// Reads all subscribers: those that came with the binary, and over them those of the user's folder, which need not
// exist. Every `*.toml` of the folder is one subscriber and every file of `templates/` in it one template. A file with
// the id of a shipped subscriber takes its place (a core one stays core), a template with the name of a shipped one
// takes that place.
//
// Never fails: what is wrong stands in `problems` with file, line and field, and harms only itself. A broken file gives
// no subscriber, and where it would have taken a shipped one's place, that one stays. An id that two files have belongs
// to neither of them. A subscriber whose template is missing stays, and its notifications get the fallback content.
model::Catalogue read_subscribers(const std::string& folder);

// The same for one who has them already and keeps them where the machine cannot look now, which is an error here.
base::Result<model::Catalogue> read_subscribers_again(const std::string& folder);

// One file alone, as `belfry subscriber lint FILE` wants it: its problems, those of its template included (looked for
// beside it and among the shipped ones).
model::Catalogue read_subscriber_file(const std::string& path);

}  // namespace belfry::host
