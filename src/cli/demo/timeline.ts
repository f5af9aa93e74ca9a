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

/** As the record has them. */
const instants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

const dayMs = 86_400_000;

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
  /** Rounded up: nothing ends before what is shown. */
  const stampOf = (instant: Timestamp): string => stamp(Math.ceil((parseInstant(instant) ?? began) / 1000) * 1000);
  /** Instants of the fleet as the time since the start. Those before it and days after it stay as they are. */
  const onOneClock = (text: string): string =>
    text.replace(instants, (instant) => {
      const since = (parseInstant(instant) ?? began) - began;
      return since < -1000 || since > dayMs ? instant : stampOf(instant);
    });
  /** The end in simulated time where the text does not name it, and the remaining real time. */
  const end = (until: Timestamp, text: string): string => {
    const at = parseInstant(until);
    if (at === undefined || at <= clock.now()) return '';
    const left = `in ${age(clock.now(), clock.now() + (at - clock.now()) / speed)} of real time`;
    return text.includes(stampOf(until.replace(/\.\d+Z$/, 'Z')))
      ? ` (${left})`
      : ` (ends at ${stampOf(until)}, ${left})`;
  };
  return {
    title: (text) => write(color('bold', text)),
    note: (text) => write(text === '' ? '' : color('dim', `  ${text}`)),
    line({ tone, subject, text, until }) {
      const shown = onOneClock(text);
      const whole = `${shown}${until === undefined ? '' : end(until, shown)}`;
      write(`${color('dim', stamp())}  ${subject.padEnd(12)} ${color(tones[tone], whole)}`);
    },
    hint(title, commands) {
      write('');
      write(color('bold', `${title}:`));
      for (const command of commands) write(`  ${command}`);
      write('');
    },
  };
}
