// What a subscriber makes of made-up events. Nothing is changed by it.
import type { Subscriber } from 'belfry-client/wire';
import { belfry } from '../access';
import { Dialog } from '../parts/dialog';
import { Json, Priority, Trouble } from '../parts/marks';
import { Content } from '../parts/toon_view';
import { useReading } from '../parts/use_reading';

export function TestDialog({ subscriber, onClose }: { subscriber: Subscriber; onClose: () => void }) {
  const { value, trouble } = useReading(() => belfry().testSubscriber(subscriber.id), [subscriber.id]);
  return (
    <Dialog title={`Test of ${subscriber.name}`} onClose={onClose}>
      {trouble && <Trouble text={trouble} />}
      {!value && !trouble && <p class="reading">Trying it…</p>}
      {value?.notifications.map((made, at) => (
        <section key={at} class="made">
          <p class="facts"><Priority level={made.priority} /><span>{made.inject_at.replaceAll('_', ' ')}</span><span>{made.tokens} tokens</span>{made.follow_up && <span>follow-up</span>}</p>
          {made.problem && <p class="trouble">Its template fails, so this is the fallback: {made.problem}</p>}
          <h3>People read</h3><p class="said">{made.text}</p>
          <h3>The agent reads</h3><Content text={made.content} />
        </section>
      ))}
      {value && value.notifications.length === 0 && <p>Nothing comes of these events.</p>}
      {value && value.events.length > 0 && <details><summary>{value.events.length} made-up {value.events.length === 1 ? 'event' : 'events'}</summary><Json value={value.events} /></details>}
    </Dialog>
  );
}
