import type { LabelSelector } from '../../api/meta.ts';
import { parseSelector } from '../../api/selector-text.ts';
import { CliError } from '../terminal/exit.ts';

/** The selector of `-l`. Error: CliError that shows the part that cannot be read. */
export function selectorOf(text: string): LabelSelector {
  const parsed = parseSelector(text);
  if (parsed.ok) return parsed.selector;
  throw new CliError(`-l: "${parsed.part}" is no label selector: write for example env=prod,region in (eu,us),!canary`);
}
