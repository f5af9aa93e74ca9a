import type { Clock } from '../../members/clock.ts';
import { colorsFor } from '../terminal/colors.ts';
import type { Told } from './narrate.ts';

/** What happens, line by line, with the time since the beginning on the clock of the fleet. */
export interface Timeline {
  title(text: string): void;
  note(text: string): void;
  say(line: Told): void;
  hint(title: string, commands: readonly string[]): void;
}

const tones: Readonly<Record<Told['tone'], Parameters<ReturnType<typeof colorsFor>>[0]>> = {
  decided: 'cyan',
  moving: 'blue',
  good: 'green',
  waiting: 'yellow',
  bad: 'red',
};

export function timeline(clock: Clock): Timeline {
  const color = colorsFor(process.stdout);
  const began = clock.now();
  let blank = false;
  const write = (text: string) => {
    if (text !== '' || !blank) process.stdout.write(`${text}\n`);
    blank = text === '';
  };
  const stamp = (): string => {
    const seconds = Math.floor((clock.now() - began) / 1000);
    return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  };
  return {
    title: (text) => write(color('bold', text)),
    note: (text) => write(text === '' ? '' : color('dim', `  ${text}`)),
    say: ({ tone, subject, text }) =>
      write(`${color('dim', stamp())}  ${subject.padEnd(12)} ${color(tones[tone], text)}`),
    hint(title, commands) {
      write('');
      write(color('bold', `${title}:`));
      for (const command of commands) write(`  ${command}`);
      write('');
    },
  };
}
