#pragma once

#include <string>

#include "wire/http_request.hpp"

namespace belfry::net {

class Connection;
struct Service;

// Brings a request to its route: checks where it comes from and who sends it, and calls the handler, or refuses.
// `cors_fields` gets what a browser wants to see in the answer to a page of a configured origin.
void handle_request(Service& service, Connection& connection, const wire::Request& request, std::string& cors_fields);

// The same questions once the header of a request is there whose body is not: may this caller send it, and, of a
// `large` one, is there a route that takes it? Where not, that is answered.
bool is_body_wanted(Service& service, Connection& connection, const wire::Request& request, bool large,
                    std::string& cors_fields);

// Is this, as far as its header tells, an upload whose body its route takes in as it comes?
bool is_upload(const wire::Request& request);

}  // namespace belfry::net
