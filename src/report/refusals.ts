import type { EventSource } from './event-source.ts';

/** What the guard refuses, or refuses no more. */
type RefusalEvent =
  | { readonly kind: 'refused'; readonly message: string; readonly isNew: boolean }
  | { readonly kind: 'refusal-lifted' };

export const refusals: EventSource<RefusalEvent> = {
  events({ plan: { guard }, earlier }): RefusalEvent[] {
    const known = new Set(earlier?.guard.map(({ message }) => message));
    if (guard.length === 0) return known.size > 0 ? [{ kind: 'refusal-lifted' }] : [];
    return guard.map(({ message }) => ({ kind: 'refused', message, isNew: !known.has(message) }));
  },
  sentences: (events) =>
    events.flatMap((event) => (event.kind === 'refused' ? [`refused: ${event.message}`] : [])).slice(0, 1),
  leads: true,
  entries: (event) => {
    if (event.kind === 'refusal-lifted')
      return [{ tone: 'good', subject: 'guard', text: 'the plan is no longer refused' }];
    return event.isNew ? [{ tone: 'bad', subject: 'guard', text: event.message }] : [];
  },
  alsoWhenRefused: true,
};
