import type { FunctionComponent } from 'preact';
import { Empty } from '../parts/marks';
import { Head } from '../shell/head';
import { journal } from './state';
import { useChanges } from './use_journal';

/** A page of the journal, or that there is none here. */
export function ofJournal(title: string, View: FunctionComponent): FunctionComponent {
  return function OfJournal() {
    useChanges();
    if (journal.value?.enabled !== false) return <View />;
    return <><Head title={title} /><Empty title="The journal is switched off">This daemon was started with <code>--no-journal</code>, or its configuration says so.</Empty></>;
  };
}
