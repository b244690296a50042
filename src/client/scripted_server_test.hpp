#pragma once

#include "wire/scripted_server_test.hpp"

// The server of the tests, for those who come through this door.
namespace belfry::client {
using wire::Requests;
using wire::ScriptedServer;
using wire::ServedConnection;
}  // namespace belfry::client
