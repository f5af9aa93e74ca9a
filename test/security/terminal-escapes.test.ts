import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { expect, it, vi } from 'vitest';
import { printable } from '../../src/api/printable.ts';
import { print } from '../../src/cli/terminal/output.ts';
import { terminalText } from '../../src/cli/terminal/write.ts';
import { markdownText } from '../../src/repo/markdown-text.ts';

/** Clears the screen, sets the clipboard, changes the title, hides text, overwrites the line, turns the direction. */
const attacks = [
  '\x1b[2J',
  '\x1b]52;c;cm0gLXJm\x07',
  '\x1b]0;owned\x07',
  '\x1b[8m',
  'refused\rapplied',
  '\x9b31m',
  'a\u202eb',
  'a\bb',
];

it.each(attacks)('%j from a member is written so that it can be read, on a terminal and in Markdown', (attack) => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  print(`pod web: ${attack}`);
  const shown = String(written.mock.calls[0]![0]);
  written.mockRestore();
  expect(shown).toBe(`pod web: ${printable(attack)}\n`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  for (const text of [shown, markdownText(attack)]) expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});

it('the readable log writes them visibly, in lists, nested fields and errors, too', () => {
  const log = join(import.meta.dirname, '../../src/daemon/report/log.ts');
  const code = `
    const log = await (await import(${JSON.stringify(log)})).openLog({ pretty: true });
    const attack = ${JSON.stringify(attacks.join(' '))};
    log.warn({ text: attack, list: [attack], deep: { in: { it: attack } }, err: new Error(attack) }, attack);`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stderr.split(printable('\u202e')).length).toBeGreaterThan(5);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});

it('colours of our own stay', () => {
  const text = `${styleText('bold', 'a', { validateStream: false })} ${styleText('red', 'b', { validateStream: false })}\n`;
  expect(terminalText(text)).toBe(text);
});

it('no command writes to the terminal past that', () => {
  const src = join(import.meta.dirname, '../../src');
  const past = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') && /process\.std(out|err)\.write|console\.\w+\(/.test(readFileSync(join(src, path), 'utf8')),
  );
  expect(past).toEqual([join('cli', 'terminal', 'write.ts')]);
});
