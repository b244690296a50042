// How good a day was, as a whole and as a day of work.
import { useRef } from 'preact/hooks';
import type { RatingTarget } from 'belfry-client/wire';
import { change, listOf, make } from '../journal/calls';
import { Clash } from '../journal/edit_view';
import type { Rating } from '../journal/records';
import { Saver } from '../journal/saver';
import { useEdit } from '../journal/use_edit';
import { useJournal } from '../journal/use_journal';

const SCORES = [1, 2, 3, 4, 5];
const WORDS = ['bad', 'poor', 'fair', 'good', 'very good'];

export function Ratings({ date }: { date: string }) {
  return <section aria-label="Rating"><h3>How it was</h3><Scores date={date} target="day" title="Day" /><Scores date={date} target="productivity" title="Work" /></section>;
}

function Scores({ date, target, title }: { date: string; target: RatingTarget; title: string }) {
  const id = `rating:${target}:${date}`;
  const rating = useJournal(async () => ({ it: (await listOf('rating', { target, target_id: date })).data[0] ?? null }), [id]).value?.it ?? null;
  const saver = useRef(new Saver<Rating>()).current;
  const edit = useEdit(rating?.score ?? 0, rating?.revision ?? 0, (score, seen) =>
    saver.save(seen, (revision) => (revision === 0 ? make('rating', { target, target_id: date, score }) : change('rating', id, { score, revision }))));
  return (
    <>
      <div class="scores" role="radiogroup" aria-label={title}>
        <span aria-hidden="true">{title}</span>
        {SCORES.map((score) => (
          <label key={score} class={score <= edit.shown ? 'lit' : ''} title={WORDS[score - 1]}>
            <input type="radio" class="sr" name={id} value={score} checked={edit.shown === score} onChange={() => edit.commit(score)} aria-label={`${score}, ${WORDS[score - 1]}`} /><i aria-hidden="true" />
          </label>
        ))}
        <span class="quiet" aria-hidden="true">{edit.shown > 0 ? WORDS[edit.shown - 1] : 'not rated'}</span>
      </div>
      <Clash edit={edit} words={(score) => (score > 0 ? WORDS[score - 1]! : '')} />
    </>
  );
}
