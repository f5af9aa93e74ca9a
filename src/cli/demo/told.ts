import type { Timestamp } from '../../api/meta.ts';

/** One thing that happened, as a person would tell it. */
export interface Told {
  readonly tone: 'decided' | 'moving' | 'good' | 'waiting' | 'bad';
  readonly subject: string;
  readonly text: string;
  /** When the wait that it tells of ends by itself. */
  readonly until?: Timestamp;
}
