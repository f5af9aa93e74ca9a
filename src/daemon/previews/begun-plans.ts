import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Heads of pull requests whose plan began and did not end, because the daemon did: perhaps it was why. */
export interface BegunPlans {
  /** False: this head has ended the daemon too often. */
  begin(head: string): boolean;
  /** The plan is made or has failed, or the daemon stops as it was asked to. */
  end(): void;
}

/** The first time may be a coincidence. */
const mostTimes = 2;
/** Heads that are remembered. */
const mostHeads = 100;

/** Kept in a file, written before and after each plan. A directory that cannot be written costs only this memory. */
export function begunPlans(file: string): BegunPlans {
  let begun: ReadonlyMap<string, number> | undefined;
  let current: string | undefined;
  const keep = (next: ReadonlyMap<string, number>): void => {
    begun = next;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify([...next]), { mode: 0o600 });
    } catch {
      // That the directory cannot be written is reported where files are parsed.
    }
  };
  return {
    begin(head) {
      begun ??= readBegun(file);
      const times = begun.get(head) ?? 0;
      if (times >= mostTimes) return false;
      current = head;
      const others = [...begun].filter(([other]) => other !== head);
      keep(new Map([...others.slice(1 - mostHeads), [head, times + 1]]));
      return true;
    },
    end() {
      if (current === undefined) return;
      const ended = current;
      current = undefined;
      keep(new Map([...(begun ?? [])].filter(([head]) => head !== ended)));
    },
  };
}

function readBegun(file: string): ReadonlyMap<string, number> {
  try {
    return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, number][]);
  } catch {
    return new Map();
  }
}
