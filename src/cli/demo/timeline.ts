import type { Timestamp } from '../../api/meta.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import type { Clock } from '../../members/clock.ts';
import type { TimelineEntry } from '../../report/event-source.ts';
import { age } from '../terminal/age.ts';
import { colorsFor } from '../terminal/colors.ts';
import { terminalText } from '../terminal/write.ts';

/** Prints events, each with the time since the start on the clock of the fleet. */
export interface Timeline {
  title(text: string): void;
  note(text: string): void;
  line(entry: TimelineEntry): void;
  hint(title: string, commands: readonly string[]): void;
}

type Out = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

const tones: Readonly<Record<TimelineEntry['tone'], Parameters<ReturnType<typeof colorsFor>>[0]>> = {
  decided: 'cyan',
  moving: 'blue',
  good: 'green',
  waiting: 'yellow',
  bad: 'red',
};

/** `speed`: how much faster than real time the clock of the fleet runs. */
export function timeline(clock: Clock, speed: number, out: Out = process.stdout): Timeline {
  const color = colorsFor(out);
  const began = clock.now();
  let blank = false;
  const write = (text: string) => {
    if (text !== '' || !blank) out.write(terminalText(`${text}\n`));
    blank = text === '';
  };
  const stamp = (at = clock.now()): string => {
    const seconds = Math.floor((at - began) / 1000);
    return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  };
  /** The end in simulated time, and the remaining real time. */
  const end = (until: Timestamp): string => {
    const at = parseInstant(until);
    if (at === undefined || at <= clock.now()) return '';
    return ` (ends at ${stamp(Math.ceil(at / 1000) * 1000)}, in ${age(clock.now(), clock.now() + (at - clock.now()) / speed)})`;
  };
  return {
    title: (text) => write(color('bold', text)),
    note: (text) => write(text === '' ? '' : color('dim', `  ${text}`)),
    line: ({ tone, subject, text, until }) =>
      write(
        `${color('dim', stamp())}  ${subject.padEnd(12)} ${color(tones[tone], `${text}${until === undefined ? '' : end(until)}`)}`,
      ),
    hint(title, commands) {
      write('');
      write(color('bold', `${title}:`));
      for (const command of commands) write(`  ${command}`);
      write('');
    },
  };
}
