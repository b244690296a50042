#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/demo_scenes.hpp"
#include "cli/local_clock.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// Plays scenes against a daemon, all at once, each by its own pace: what a few agents and programs do in half a minute.
// A scene is a file of steps, one JSON object a line:
//
//     {"after_ms": 300, "ask": "POST /v1/runs", "body": {…}, "keep": {"run": "id"}}
//     {"after_ms": 200, "say": "some words", "run": "${run}", "message_id": "m1"}
//     {"after_ms": 100, "ask": "POST /v1/journal/tasks", "body": {"id": "demo-milk", …}, "once": true}
//
// `keep` names parts of the answer, by members and indexes with dots between; `${run}` stands for such a part later in
// the scene, with its quotes for a value that is no text. `say` goes into the run word by word. `once` is for what
// stays as the person has made it since: where that, or what it names, is there, was changed or is gone, the step is
// passed over. Always there are `${round}`, `${owner}`, `${zone}`, `${today}` and `${tomorrow}`; a moment of today is
// written `${today 09:30}`, and one before now `${ago 90m}`.
class DemoPlayer {
public:
    // The days and times of what it makes are those of this clock.
    DemoPlayer(client::Client& client, LocalClock clock) : client_(client), clock_(std::move(clock)) {}

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
    base::Result<void> ask(Scene& scene, const model::RawJson& step);
    [[nodiscard]] Scene scene_of(const EmbeddedFile& file, std::int64_t round, const std::string& owner) const;
    [[nodiscard]] base::Result<std::string> fill_in(const Scene& scene, std::string_view text) const;
    [[nodiscard]] base::Result<base::Timestamp> moment_of(const std::string& words) const;
    static void expand(Scene& scene, const model::RawJson& step);

    client::Client& client_;
    LocalClock clock_;
    std::vector<std::string> complaints_;
};

}  // namespace belfry::cli
