#pragma once

#include <string>

#include "client/fields.hpp"
#include "model/raw_json.hpp"

// How devices stand with each other, in words for a person that a terminal can be given.
namespace belfry::cli {

// As much of an id as a person needs: what `belfry peer revoke` takes.
std::string short_id(const std::string& id);
// `workstation (3f9a01c2)`.
std::string peer_name(const client::Fields& peer);
// `connected`, `not connected`, `revoked`, `never here`.
std::string peer_state(const client::Fields& peer);

// All of `belfry sync status`, in lines.
std::string status_text(const model::RawJson& status);

}  // namespace belfry::cli
