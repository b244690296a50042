#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cast.hpp"
#include "daemon/engine_door.hpp"
#include "daemon/house_turn.hpp"
#include "daemon/script_workflow.hpp"
#include "ports/workflow.hpp"
#include "runtimes.hpp"

// Agents that Belfry runs itself, and those that a worker runs.
namespace observer::sim {

// A language model without a network: tells the user, names items, keeps silent or fails, as the dice fall.
class DiceModel final : public ports::Workflow {
public:
    DiceModel(SeededRandom random, std::string mark) : random_(random), mark_(std::move(mark)) {}
    base::Result<ports::TurnEnd> run(ports::Turn& turn) override;

private:
    SeededRandom random_;
    std::string mark_;
};

// Belfry's own workers, with the turns of the daemon. Between two calls of a turn, other parties act.
class House : public Party {
public:
    // `act_for`: lets the world go on for this time.
    House(Stage& stage, const std::string& name, SeededRandom random, std::string model_mark,
          std::function<void(std::int64_t)> act_for);

    void begin() override {}
    void lost() override;
    // Something is ready for workflows of Belfry's own.
    void look_soon();

private:
    // Commits each command of a turn by itself.
    class Door final : public ports::Gateway {
    public:
        explicit Door(House& house) : house_(house) {}
        base::Result<void> submit(ports::AnyCommand& command) override { return house_.submit(command); }

    private:
        House& house_;
    };
    base::Result<void> submit(ports::AnyCommand& command);
    void look();
    bool look_for(model::WorkflowKind kind);

    static constexpr std::size_t turns_max = 2;
    std::function<void(std::int64_t)> act_for_;
    Door door_;
    belfry::daemon::EngineDoor engine_;
    belfry::daemon::ScriptWorkflow script_;
    DiceModel model_;
    std::set<belfry::daemon::HouseTurn*> under_way_;
    std::uint64_t returned_in_ = 0;  // the process whose claims of before were returned
    std::uint64_t looks_ = 0;
};

// Works on the wakes of one agent and has Belfry carry out external tools.
class Worker : public Party {
public:
    Worker(Stage& stage, const std::string& name, SeededRandom random, const std::string& user, std::string agent_id,
           std::string session, std::vector<std::string>& tools)
        : Party(stage, name, random),
          agent_(stage, name, name, user),
          agent_id_(std::move(agent_id)),
          session_(std::move(session)),
          tools_(tools) {}
    void begin() override {
        later(50, 150, [this] { act(); });
    }

private:
    void act();
    void work(const model::Wake& wake, const Pulled& pull);
    void use_tool(const model::Wake& wake, const PulledItem& item, const std::function<void()>& then);
    void end(const model::Wake& wake, const Pulled& pull);

    AgentClient agent_;
    std::string agent_id_;
    std::string session_;
    std::vector<std::string>& tools_;  // registered, and not used yet
};

// Carries out the tools that Belfry hands out.
class ToolServer : public Party {
public:
    ToolServer(Stage& stage, const std::string& name, SeededRandom random, model::Principal token,
               std::vector<std::string> tools)
        : Party(stage, name, random), token_(std::move(token)), tools_(std::move(tools)) {}
    void begin() override { act(); }

private:
    void act();

    model::Principal token_;
    std::vector<std::string> tools_;
};

}  // namespace observer::sim
