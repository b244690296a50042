// The daemon tells of every change of a person's wakes.
import type { Wake } from 'belfry-client/wire';
import { owner } from '../inbox/store';
import { useNews } from '../parts/use_news';

/** `onNews` once for what came together, if `concerns` says so of one of them. */
export function useWakeNews(onNews: () => void, concerns: (wake: Wake) => boolean = () => true) {
  useNews(owner.value && `agent:${owner.value}`, onNews, (event) => event.type === 'wake' && concerns(event.wake));
}
