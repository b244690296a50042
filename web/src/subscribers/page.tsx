import { useEffect, useState } from 'preact/hooks';
import type { Subscriber, SubscriberProblem } from 'belfry-client/wire';
import { belfry, words } from '../access';
import { Icon } from '../parts/icons';
import { Empty, Priority, Trouble } from '../parts/marks';
import { duration } from '../parts/time';
import { useReading } from '../parts/use_reading';
import { route } from '../route';
import { Head, Search } from '../shell/head';
import { TestDialog } from './test_dialog';

const LOOK_MS = 5000;

export function SubscribersPage() {
  const { id } = route.value;
  const [text, setText] = useState(id ?? '');
  const [tested, setTested] = useState<Subscriber | null>(null);
  const { value, trouble, again } = useReading(() => belfry().subscribers({ limit: 1000 }), [], LOOK_MS);
  const wanted = text.toLowerCase();
  const found = (value?.data ?? []).filter((one) => `${one.id} ${one.name} ${one.description} ${one.types.join(' ')}`.toLowerCase().includes(wanted));
  return (
    <>
      <Head title="Subscribers"><Search label="Search subscribers" value={text} onInput={setText} /></Head>
      <div class="sheet" tabIndex={0} role="region" aria-label="Subscribers">
        {trouble && <Trouble text={trouble} retry={again} />}
        {value && value.problems.length > 0 && <Problems problems={value.problems} />}
        {value && found.length === 0 && <Empty title="Nothing matches" />}
        <ul class="subscriber-list">{found.map((one) => <One key={one.id} subscriber={one} onTest={() => setTested(one)} again={again} />)}</ul>
      </div>
      {tested && <TestDialog subscriber={tested} onClose={() => setTested(null)} />}
    </>
  );
}

function Problems({ problems }: { problems: SubscriberProblem[] }) {
  return (
    <section class="problems" aria-label="Broken files">
      <h2>{problems.some((one) => one.fatal) ? 'Some files are broken' : 'Some files have oddities'}</h2>
      <p class="quiet">Each harms only itself; the others work.</p>
      <ul>
        {problems.map((one, at) => (
          <li key={at} class={one.fatal ? 'fatal' : ''}>
            <code>{one.file}{one.line > 0 && `:${one.line}:${one.column}`}</code> {one.field && <strong>{one.field}: </strong>}<span>{one.message}</span>{!one.fatal && <span class="quiet"> (it works all the same)</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function One({ subscriber, onTest, again }: { subscriber: Subscriber; onTest: () => void; again: () => void }) {
  const [trouble, setTrouble] = useState<string | null>(null);
  const [wish, setWish] = useState<boolean | null>(null);
  const isOn = wish ?? subscriber.enabled ?? true;
  const flip = async () => {
    setWish(!isOn);
    setTrouble(null);
    try {
      await belfry().switchSubscriber(subscriber.id, !isOn);
      again();
    } catch (failure) {
      setTrouble(words(failure));
      setWish(null);
    }
  };
  // A wish counts until the list says so, too.
  useEffect(() => { if (wish === subscriber.enabled) setWish(null); }, [wish, subscriber.enabled]);
  const locked = `locked-${subscriber.id}`;
  return (
    <li class={isOn ? '' : 'off'} id={`subscriber-${subscriber.id}`}>
      <div class="subscriber-text">
        <h2>{subscriber.name} <code>{subscriber.id}</code></h2>
        <p>{subscriber.description}</p>
        <p class="types">{subscriber.types.length > 0 ? subscriber.types.map((type) => <code key={type}>{type}</code>) : <span class="quiet">what no other subscriber wants</span>}</p>
        <p class="facts"><Priority level={subscriber.priority} /><span>{subscriber.inject_at.replaceAll('_', ' ')}</span>
          {subscriber.severity_filter && <span>from {subscriber.severity_filter} on</span>}
          <span>{subscriber.window_ms > 0 ? `gathers for ${duration(subscriber.window_ms)}` : 'at once'}</span>
          <span class="quiet">{subscriber.origin}, {subscriber.version}</span></p>
        {subscriber.core && <p class="core-why" id={locked}><Icon name="lock" /><span><strong>Nobody can switch it off.</strong> {subscriber.core_reason}</span></p>}
        {trouble && <Trouble text={trouble} />}
      </div>
      <div class="subscriber-tools">
        <button type="button" role="switch" class="switch" aria-checked={isOn} aria-label={subscriber.name} aria-describedby={subscriber.core ? locked : undefined}
          disabled={subscriber.core || subscriber.enabled === null} onClick={() => void flip()}><i aria-hidden="true" /><span aria-hidden="true">{isOn ? 'On' : 'Off'}</span></button>
        <button type="button" aria-label={`Test ${subscriber.name}`} onClick={onTest}>Test</button>
      </div>
    </li>
  );
}
