import { expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';

it.each([
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
  ['2026-11-20T12:00:00.5+02:00', '2026-11-20T10:00:00.500Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'],
])('%s is an instant', (text, utc) => expect(formatInstant(parseInstant(text)!)).toBe(utc));

it.each([
  '',
  'now',
  '2026-11-20',
  '2026-11-20T10:00Z',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2023-02-29T00:00:00Z',
])('%j is none', (text) => expect(parseInstant(text)).toBeUndefined());
