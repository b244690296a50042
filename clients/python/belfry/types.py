"""The shapes on the wire that a program meets most. `/openapi.json` of a daemon has every field of every one."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Severity = Literal["debug", "info", "warning", "error", "critical"]
Priority = Literal["critical", "high", "normal", "low"]
Point = Literal["immediate", "turn_start", "after_tool", "turn_end"]
MessageFormat = Literal["openai", "anthropic"]
RunState = Literal["pending", "running", "completed", "failed", "cancelled"]
AgentLifecycle = Literal["created", "active", "dormant", "destroyed"]
ToolPolicy = Literal["run", "ask", "propose"]
AgentMode = Literal["autonomous", "interactive", "hybrid"]
WorkflowKind = Literal["worker", "model", "script"]
WakeReason = Literal["subscription", "timer", "user_initiated", "recovery_catchup", "manual"]
WakeState = Literal["queued", "running", "completed", "failed", "cancelled", "coalesced", "no_turn", "sleeping",
                    "dormant", "destroyed", "refused", "not_needed"]
JournalKind = Literal["category", "label", "entry", "task", "checklist", "checklist_item", "time_entry", "day_plan",
                      "rating"]
EntryType = Literal["text", "audio", "workout", "ai_response"]
TaskStatus = Literal["open", "groomed", "in_progress", "blocked", "on_hold", "done", "rejected"]
TaskPriority = Literal["p0", "p1", "p2", "p3"]
RatingTarget = Literal["session", "day", "productivity"]
Decision = Literal["allow_once", "always_allow", "deny"]
Action = Literal["accept", "decline", "cancel"]


class _EventNeeds(TypedDict):
    type: str
    source: str


class EventInput(_EventNeeds, total=False):
    id: str
    severity: Severity
    timestamp: str
    payload: dict[str, Any]
    dedupe_key: str
    user_id: str
    session_id: str
    run_id: int
    agent_id: str


class Accepted(TypedDict):
    id: str
    sequence: int


class BatchResult(TypedDict):
    accepted: int
    refused: int
    data: list[dict[str, Any]]  # in the order of the request: Accepted, or {"error": {code, detail, field?}}


class Routing(TypedDict, total=False):
    address: Literal["session", "user"]
    target: Literal["user", "agent"]
    handler: Literal["system", "agent"]


class Budget(TypedDict, total=False):
    tokens: int | None
    iterations: int | None
    timeout_s: int | None
    context_tokens: int | None


class ItemLease(TypedDict):
    id: str  # a handle (`n7`) or an id
    lease: int


class PulledItem(TypedDict, total=False):
    handle: str
    id: str
    lease: int
    version: int
    subscriber: str | None
    priority: Priority
    inject_at: Point
    severity: Severity
    content: str  # for the model
    text: str  # for people
    needs_answer: bool
    must_tell: bool  # the agent must tell the user; else it decides
    again: bool
    tokens: int
    stands_for: list[str]


class ContextValue(TypedDict, total=False):
    name: str
    user_id: str  # not in a pull
    session_id: str | None  # None: of all sessions
    agent_id: str | None  # None: of all agents
    content: str
    updated_at: str
    expires_at: str
    set_by: str | None  # not in a pull


class Pulled(TypedDict, total=False):
    pull_id: str
    items: list[PulledItem]  # in the order in which they are to be read
    user_messages: list[dict[str, Any]]  # what the person has said meanwhile
    tokens: int
    waiting: int
    lease_until: str
    acknowledged: int
    seen: list[str]
    digest: str | None
    context: list[ContextValue]  # if the pull asks for context values
    context_left_out: list[str]  # names of those that did not fit
    text: str  # all items, fenced; empty: nothing is due
    messages: list[dict[str, Any]]  # with a format: ready for that model interface
    tools: list[dict[str, Any]]


class Report(TypedDict):
    events: list[Accepted]
    progress: dict[str, Any]
    budget: Budget


class CallerContext(TypedDict, total=False):
    agent_id: str
    agent_type: Literal["global_supervisor", "team_supervisor", "worker"]
    agent_name: str
    team_name: str  # needed for the last two


class Run(TypedDict, total=False):
    id: int
    run_key: str | None
    parent_id: int | None
    root_id: int
    user_id: str
    session_id: str | None
    agent_id: str | None
    hierarchy_id: str | None  # the team of agents that carries it out
    title: str
    metadata: dict[str, Any]
    caller: CallerContext | None
    state: RunState
    paused: bool
    queue_position: int | None
    tree: bool
    result: Any
    error: dict[str, str] | None
    cancel_reason: str | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    expires_at: str | None
    events: int


class _RunEventNeeds(TypedDict):
    event: str


class RunEventInput(_RunEventNeeds, total=False):
    data: Any
    source: CallerContext
    id: str
    timestamp: str


class RunEvent(TypedDict, total=False):
    """As `follow_run` gives it. `event` is `gap` with `data` {"from", "to"} where events are gone for good."""

    id: str
    run_id: int
    timestamp: str
    sequence: int
    source: CallerContext | None
    event: str
    data: Any


class MemorySettings(TypedDict, total=False):
    """How much of its memory an agent wants before it, and who folds it."""
    budget_tokens: int
    hot_tokens: int
    hot_messages: int
    summarizer: Literal["rules", "model"] | None
    base_url: str | None
    model: str | None
    key_env: str | None


class Agent(TypedDict, total=False):
    id: str
    user_id: str
    kind: str
    display_name: str
    lifecycle: AgentLifecycle
    mode: AgentMode
    allowed_category_ids: list[str]
    capabilities: list[str]
    tool_policies: dict[str, ToolPolicy]  # by the tool's name, or "*"
    config: dict[str, Any]
    memory: MemorySettings
    workflow: dict[str, Any]  # {"kind", "settings"}
    created_at: str
    updated_at: str
    destroyed_at: str | None
    next_wake_at: str | None  # by the next of its timers, or by its own wish, whichever is sooner
    state: dict[str, Any]
    runtime: dict[str, Any]


class WakeSubscription(TypedDict, total=False):
    id: str
    agent_id: str
    active: bool
    types: list[str]
    severity: Severity
    sources: list[str]
    tokens: list[str]
    predicate: str | None
    window_ms: int
    synced: bool
    priority: int
    created_at: str
    updated_at: str


class _ScheduleNeeds(TypedDict):
    kind: Literal["cron", "daily", "weekly", "every", "at"]


class Schedule(_ScheduleNeeds, total=False):
    cron: str
    time: str
    days: list[str]
    interval: str
    anchor: str
    at: str


class ToolCall(TypedDict):
    id: str
    tool_name: str
    by: Literal["worker", "webhook"]
    operation_id: str  # the same however often it is tried: by it the tool knows a repeat
    agent_id: str
    user_id: str
    wake_id: int
    action_id: str
    arguments: dict[str, Any]
    state: Literal["queued", "claimed", "done", "failed", "abandoned"]
    holder: str | None
    fence: int
    lease_until: str | None
    attempts: int
    deadline: str
    error_code: str | None
    created_at: str
    ended_at: str | None


class Timer(TypedDict, total=False):
    id: str | None  # None: it was only rehearsed
    agent_id: str
    user_id: str
    name: str
    schedule: Schedule
    zone: str | None
    active: bool
    next_run_at: str | None
    last_scheduled_at: str | None
    fault: str | None
    input: dict[str, Any]
    priority: int
    created_at: str
    updated_at: str
    next: list[dict[str, str | None]]  # the next five firings: {"at", "local", "note"}


class _WakeNeeds(TypedDict):
    id: int
    fence: int


class Wake(_WakeNeeds, total=False):
    run_key: str  # the same cause has the same key
    agent_id: str
    user_id: str
    reason: WakeReason
    reason_id: str | None
    timer_catchup: bool
    thread_id: str
    session_id: str | None
    input: dict[str, Any]
    state: WakeState
    priority: int
    due_at: str
    signals: int
    attempts: int
    holder: str | None
    lease_until: str | None
    deadline: str | None
    run_id: int | None
    coalesced_into: int | None
    error: dict[str, str] | None
    created_at: str
    started_at: str | None
    ended_at: str | None


class WakeSignal(TypedDict, total=False):
    kind: Literal["event", "change", "timer", "user", "manual", "notification"]
    key: str
    rule: str | None
    body: dict[str, Any]  # of an event, the event as readers get it
    came_at: str


class AgentMessage(TypedDict, total=False):
    id: str
    agent_id: str
    thread_id: str
    kind: Literal["observation", "user", "thought", "action", "tool_result", "summary", "system"]
    created_at: str
    prev_message_id: str | None
    content_entry_id: str | None
    trigger_source_id: str | None
    summary_start_message_id: str | None
    summary_end_message_id: str | None
    summary_depth: int
    tokens_approx: int
    metadata: dict[str, Any]
    action: dict[str, Any]
    tool_result: dict[str, Any]
    content: Any


class CalledTool(TypedDict):
    action: AgentMessage
    result: AgentMessage | None  # of None: it waits for somebody
    waits_for: dict[str, str] | None  # {"whom": "person" or "outside", "id"}
    is_new: bool  # False: it was done before, and this is what came of it


class Tool(TypedDict, total=False):
    name: str
    origin: Literal["belfry", "registered"]
    impact: Literal["internal", "external"]
    description: str | None
    schema: dict[str, Any]  # of its arguments
    risk: Literal["low", "medium", "high"]
    capabilities: list[str]
    wake_reasons: list[str]  # empty: any
    execution: dict[str, str | None] | None  # {"by", "url", "secret_env"}; None: Belfry's own, or only classified
    updated_at: str | None
    timeout_s: int  # of one that is registered
    # Of Belfry's own:
    output_schema: dict[str, Any]
    version: int
    high_risk_with: list[str]
    read_only: bool


class PlannedAction(TypedDict):
    ordinal: int
    action_type: Literal["tool_call", "propose_plan", "ask_user", "lifecycle_transition"]
    tool_name: str | None
    operation_id: str
    arguments_hash: str
    arguments: dict[str, Any]
    action_id: str | None
    result: AgentMessage | None


class Plan(TypedDict):
    run_key: str
    round: int
    agent_id: str
    wake_id: int
    created_at: str
    actions: list[PlannedAction]


class WakeGrant(TypedDict, total=False):
    wake: Wake
    agent: Agent
    signals: list[WakeSignal]
    messages: list[AgentMessage]
    plans: list[Plan]
    memory: AssembledMemory


class Interaction(TypedDict, total=False):
    id: str
    kind: Literal["confirmation", "elicitation"]
    session_id: str
    state: Literal["pending", "answered", "expired", "withdrawn"]
    message: str
    tool_name: str | None
    arguments: Any
    schema: Any
    answer: dict[str, Any] | None
    answered_by: str | None
    always_allowed: bool
    created_at: str
    expires_at: str


class ChangeItem(TypedDict, total=False):
    """One call that an agent proposes."""
    number: int
    tool_name: str
    operation_id: str
    state: Literal["proposed", "accepted", "rejected", "failed"]
    arguments: dict[str, Any]
    changes: list[dict[str, Any]]  # what it would change: {"change", "kind", "id", "title"}
    result: dict[str, Any] | None
    error: dict[str, str] | None  # {"code", "message"} of a failed one
    created_at: str
    decided_at: str | None
    decided_by: str | None


class MemoryItem(TypedDict, total=False):
    text: str
    message_id: str
    by: Literal["rules", "model"]
    at: str


class MemorySummary(TypedDict, total=False):
    by: Literal["rules", "model"]
    text: str
    goals: list[MemoryItem]
    decisions: list[MemoryItem]
    open_loops: list[MemoryItem]
    closed_loops: list[MemoryItem]
    errors: list[dict[str, Any]]  # {"what", "times", "message_id"}
    effects: list[dict[str, Any]]
    counts: dict[str, int]
    left_out: int


class AssembledMemory(TypedDict, total=False):
    thread_id: str
    budget_tokens: int
    reserved_tokens: int
    used_tokens: int
    slots: str | None
    goals: list[MemoryItem]
    decisions: list[MemoryItem]
    open_loops: list[MemoryItem]
    summaries: list[dict[str, Any]]  # {"id", "thread_id", "depth", …, "summary", "tokens"}
    messages: list[AgentMessage]
    left_out: int
    choices: list[dict[str, Any]]  # {"part", "id", "what", "tokens", "fate"}


class PlacedSummary(TypedDict, total=False):
    id: str
    thread_id: str
    depth: int
    start_message_id: str
    end_message_id: str
    tokens: int
    folded_into: str | None
    created_at: str
    summary: MemorySummary


class OpenedSummary(TypedDict, total=False):
    summary: PlacedSummary
    data: list[AgentMessage]
    next: int | None
    has_more: bool


FoldState = Literal["pending", "running", "done", "failed_terminal"]


class FoldJob(TypedDict, total=False):
    id: str
    agent_id: str
    thread_id: str
    depth: int
    messages: int
    state: FoldState
    attempts: int
    summarizer: Literal["rules", "model"]
    last_error: str | None
    summary_id: str | None


class ChangeSet(TypedDict, total=False):
    """All that an agent proposed in one wake; of a list without `items`."""
    id: str
    number: int
    user_id: str
    agent_id: str
    agent_name: str
    wake_id: int
    run_id: int | None
    thread_id: str
    session_id: str | None
    state: Literal["open", "decided"]
    counts: dict[str, int]
    created_at: str
    updated_at: str
    decided_at: str | None
    items: list[ChangeItem]


class Receipt(TypedDict):
    success: bool
    message: str
    notification_id: str


class JournalFrame(TypedDict):
    """What records of all kinds have."""
    kind: JournalKind
    id: str
    user_id: str
    category_id: str
    revision: int
    created_at: str
    updated_at: str
    deleted_at: str | None
    extension: dict[str, Any]


class JournalRecord(JournalFrame, total=False):
    """With the fields of its kind, of which these are of several; `/openapi.json` has each kind by itself."""
    name: str
    title: str
    text: str | None
    note: str | None
    type: EntryType
    status: TaskStatus
    priority: TaskPriority
    due_date: str | None
    label_ids: list[str]
    task_id: str | None
    checklist_id: str
    checked: bool
    position: int
    started_at: str | None
    ended_at: str | None
    plan_date: str
    blocks: list[dict[str, Any]]
    pinned_task_ids: list[str]
    target: RatingTarget
    target_id: str
    score: int


class JournalState(TypedDict):
    enabled: bool
    holds_anything: bool
    running: JournalRecord | None


class JournalLink(TypedDict):
    kind: Literal["link"]
    user_id: str
    relation: str
    from_id: str
    to_id: str
    metadata: dict[str, Any]
    hidden: bool
    revision: int
    created_at: str
    updated_at: str
    deleted_at: str | None
