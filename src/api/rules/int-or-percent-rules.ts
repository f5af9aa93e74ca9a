import { error, type Issue } from '../issue.ts';
import type { IntOrPercent } from '../meta.ts';
import { isIntOrPercent } from '../syntax.ts';

const from = {
  0: { allows: isIntOrPercent, words: 'a number of 0 or more nor a percentage up to 100%' },
  1: {
    allows: (text: string) => isIntOrPercent(text) && !text.startsWith('0'),
    words: 'a number of 1 or more nor a percentage from 1% to 100%',
  },
} as const;

/** A number, or a percentage. A number in quotes is neither (intstr.GetScaledValueFromIntOrPercent, in KubeFleet's webhooks). */
export function intOrPercentIssues(value: IntOrPercent, path: Issue['path'], least: keyof typeof from): Issue[] {
  const code = 'invalid-int-or-percent';
  if (typeof value === 'string' && /^[0-9]+$/.test(value)) {
    const message = 'a number in quotes is neither a number nor a percentage';
    return [error(code, path, message, `write ${value} without quotes`)];
  }
  const { allows, words } = from[least];
  if (allows(String(value))) return [];
  return [error(code, path, `"${value}" is neither ${words}`, 'write for example 1 or 25%')];
}
