import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Heads of pull requests whose plan started and did not end, because the daemon did: perhaps it was why. */
export interface StartedPlans {
  /** False: this head has ended the daemon too often. */
  start(head: string): boolean;
  /** The plan is made or has failed, or the daemon stops as it was asked to. */
  end(): void;
}

/** The first time may be a coincidence. */
const mostTimes = 2;
/** Heads that are remembered. */
const mostHeads = 100;

/** Kept in a file, written before and after each plan. A directory that cannot be written costs only this memory. */
export function startedPlans(file: string): StartedPlans {
  let started: ReadonlyMap<string, number> | undefined;
  let current: string | undefined;
  const keep = (next: ReadonlyMap<string, number>): void => {
    started = next;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify([...next]), { mode: 0o600 });
    } catch {
      // That the directory cannot be written is reported where files are parsed.
    }
  };
  return {
    start(head) {
      started ??= readStarted(file);
      const times = started.get(head) ?? 0;
      if (times >= mostTimes) return false;
      current = head;
      const others = [...started].filter(([other]) => other !== head);
      keep(new Map([...others.slice(1 - mostHeads), [head, times + 1]]));
      return true;
    },
    end() {
      if (current === undefined) return;
      const ended = current;
      current = undefined;
      keep(new Map([...(started ?? [])].filter(([head]) => head !== ended)));
    },
  };
}

function readStarted(file: string): ReadonlyMap<string, number> {
  try {
    return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, number][]);
  } catch {
    return new Map();
  }
}
