#pragma once

#include <string>
#include <vector>

#include "client/scripted_server_test.hpp"

namespace belfry::cli {

using client::Requests;
using client::ScriptedServer;
using client::ServedConnection;

inline std::string body_of(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

// Answers every request of its connections with the next of `answers` and keeps the requests.
struct Daemon {
    struct Answer {
        int status;
        std::string body;
    };
    explicit Daemon(std::vector<Answer> answers)
        : server({[this, answers = std::move(answers)](ServedConnection& connection) {
              for (const Answer& answer : answers) {
                  requests.push_back(connection.request());
                  connection.answer(answer.status, answer.body);
              }
          }}) {}
    [[nodiscard]] std::string url() const { return server.endpoint().text(); }

    Requests requests;
    ScriptedServer server;
};

}  // namespace belfry::cli
