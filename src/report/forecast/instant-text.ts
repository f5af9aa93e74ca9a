import type { Timestamp } from '../../api/meta.ts';

/** `2026-11-20 14:00 UTC` */
export const instantText = (at: Timestamp): string => at.replace(/^(\S{10})T(\d\d:\d\d).*$/, '$1 $2 UTC');
