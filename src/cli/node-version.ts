import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};

/** The error when this Node is older than package.json requires (`>=22.22`); libraries would fail with unclear messages. */
export function nodeTooOld(running: string, needed: string = manifest.engines.node): string | undefined {
  const least = needed.replace('>=', '');
  const parts = (version: string): readonly number[] => version.split('.').map(Number);
  const [have, want] = [parts(running), parts(least)];
  const at = want.findIndex((part, index) => part !== (have[index] ?? 0));
  if (at < 0 || (have[at] ?? 0) > want[at]!) return undefined;
  return `gitfleet needs Node ${least} or newer; this is Node ${running}`;
}
