#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// Plays scenes against a daemon, all at once, each by its own pace: what a few agents and programs do in half a minute.
// A scene is a file of steps, one JSON object a line:
//
//     {"after_ms": 300, "ask": "POST /v1/runs", "body": {…}, "keep": {"run": "id"}}
//     {"after_ms": 200, "say": "some words", "run": "${run}", "message_id": "m1"}
//
// `keep` names parts of the answer, by members and indexes with dots between; `${run}` stands for such a part later in
// the scene, with its quotes for a value that is no text. `say` goes into the run word by word. `${round}` and
// `${owner}` are always there.
class DemoPlayer {
public:
    explicit DemoPlayer(client::Client& client) : client_(client) {}

    // Returns when all scenes are over; false: the client was interrupted. A step that is refused ends its scene, since
    // later ones build on it, and is told.
    base::Result<bool> play(std::int64_t round);
    [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

private:
    struct Scene {
        std::string name;
        std::vector<std::string> steps;  // the next one last
        std::map<std::string, std::string, std::less<>> kept;
        base::Duration due;  // from the beginning of the round
    };

    static void load(Scene& scene, std::string_view text);
    base::Result<void> step(Scene& scene);
    static std::string fill_in(const Scene& scene, std::string_view text);
    static void expand(Scene& scene, const model::RawJson& step);

    client::Client& client_;
    std::vector<std::string> complaints_;
};

}  // namespace belfry::cli
