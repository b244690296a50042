// The records of the journal with the fields of their kinds, as the daemon writes them.
import type { EntryType, JournalRecord, RatingTarget, TaskPriority, TaskStatus } from 'belfry-client/wire';

type Common = Pick<JournalRecord, 'id' | 'user_id' | 'category_id' | 'revision' | 'created_at' | 'updated_at' | 'deleted_at'>;

export interface Category extends Common { kind: 'category'; name: string; color: string | null }
export interface Label extends Common { kind: 'label'; name: string; color: string | null }
export interface Entry extends Common {
  kind: 'entry';
  type: EntryType;
  text: string | null;
  started_at: string | null;
  ended_at: string | null;
  audio_uri?: string | null;
  duration_s?: number | null;
  workout_type?: string | null;
  energy_kcal?: number | null;
  distance_m?: number | null;
  model_id?: string | null;
  prompt?: string | null;
}
export interface Task extends Common {
  kind: 'task';
  title: string;
  text: string | null;
  status: TaskStatus;
  priority: TaskPriority;
  due_date: string | null;
  estimate_min: number | null;
  language: string | null;
  label_ids: string[];
}
export interface Checklist extends Common { kind: 'checklist'; task_id: string; title: string; position: number }
export interface ChecklistItem extends Common { kind: 'checklist_item'; checklist_id: string; title: string; checked: boolean; position: number }
export interface TimeEntry extends Common { kind: 'time_entry'; task_id: string | null; note: string | null; started_at: string; ended_at: string | null }
export interface PlanBlock { id: string; category_id?: string; start_at: string; end_at: string; note: string | null; task_id: string | null }
export interface DayPlan extends Common { kind: 'day_plan'; plan_date: string; note: string | null; blocks: PlanBlock[]; pinned_task_ids: string[] }
export interface Rating extends Common { kind: 'rating'; target: RatingTarget; target_id: string; score: number; note: string | null }

export interface Kinds {
  category: Category;
  label: Label;
  entry: Entry;
  task: Task;
  checklist: Checklist;
  checklist_item: ChecklistItem;
  time_entry: TimeEntry;
  day_plan: DayPlan;
  rating: Rating;
}
export type Kind = keyof Kinds;
export type AnyRecord = Kinds[Kind];

export interface JournalState { enabled: boolean; holds_anything: boolean; running: TimeEntry | null }
