// A new timer. What it would do is shown before it is there.
import { useState } from 'preact/hooks';
import type { Schedule } from 'belfry-client/wire';
import { belfry } from '../access';
import { INPUT, inputOf } from '../agents/input';
import { type Field, capital, field } from '../parts/field';
import { FormDialog } from '../parts/form_dialog';
import { localMinute } from '../parts/time';
import { Choices } from '../shell/head';
import { Firings } from './firings';

type Kind = Schedule['kind'];
const KINDS = [{ value: 'daily', label: 'Daily' }, { value: 'weekly', label: 'Weekly' }, { value: 'every', label: 'Every' }, { value: 'cron', label: 'Cron' }, { value: 'at', label: 'Once' }];
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((value) => ({ value, title: capital(value) }));

const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
const time = field('schedule.time', 'Time', { type: 'time', isRequired: true, preset: '07:00' });
const zone = () => field('zone', 'Zone', { isRequired: true, preset: here(), hint: 'Whose clocks it goes by: Europe/Berlin' });

function fieldsOf(kind: Kind): Field[] {
  switch (kind) {
    case 'daily': return [time, zone()];
    case 'weekly': return [field('schedule.days', 'Days', { type: 'choices', isRequired: true, choices: DAYS, preset: ['mon', 'tue', 'wed', 'thu', 'fri'] }), time, zone()];
    case 'every': return [field('schedule.interval', 'Interval', { isRequired: true, preset: '12h', hint: '90s, 15m, 12h, 30d: elapsed time, whatever clocks show' })];
    case 'cron': return [field('schedule.cron', 'Cron', { isRequired: true, preset: '0 7 * * mon-fri', hint: 'Minute, hour, day, month, weekday' }), zone()];
    case 'at': return [field('schedule.at', 'When', { type: 'moment', isRequired: true, preset: localMinute(Date.now() + 24 * 3_600_000) })];
  }
}

/** As the daemon wants it: what belongs to the schedule lies in it. */
function timerOf(kind: Kind, content: Record<string, any>) {
  const schedule: Record<string, unknown> = { kind };
  for (const [name, value] of Object.entries(content)) if (name.startsWith('schedule.')) schedule[name.slice('schedule.'.length)] = value;
  const { name, zone: where, input } = content;
  return { name: String(name), schedule: schedule as unknown as Schedule, input: inputOf(input) ?? {}, ...(where ? { zone: String(where) } : {}) };
}

export function AddTimer({ agentId, onClose, again }: { agentId: string; onClose: () => void; again: () => void }) {
  const [kind, setKind] = useState<Kind>('daily');
  const send = async (content: Record<string, any>) => {
    await belfry().addTimer(agentId, timerOf(kind, content));
    again();
  };
  const rehearse = async (content: Record<string, any>) => {
    const { next, zone: where } = await belfry().addTimer(agentId, { ...timerOf(kind, content), dry_run: true });
    return <Firings next={next} zone={where} />;
  };
  const fields = [field('name', 'Name', { isRequired: true, hint: 'Of its agent’s timers only this one has it: morning brief' }), ...fieldsOf(kind), INPUT];
  return (
    <FormDialog title="Add a timer" deed="Add it" fields={fields} send={send} rehearse={{ words: 'Show when', act: rehearse }} onClose={onClose}>
      <Choices label="How often" choices={KINDS} value={kind} onChoose={(one) => setKind(one as Kind)} />
    </FormDialog>
  );
}
