import { nearest } from '../../api/syntax.ts';
import { allConditionTypes } from '../kinds/kinds.ts';
import type { Listing } from '../kinds/listing.ts';
import { CliError } from '../terminal/exit.ts';

/** The goal of `wait`. */
export type WaitedFor =
  | { readonly kind: 'condition'; readonly type: string; readonly status: 'True' | 'False' | 'Unknown' }
  | { readonly kind: 'delete' };

/**
 * Parses `Available`, kubectl's `condition=Available` and `condition=Applied=False`, or `delete`. Errors: CliError with the
 * nearest condition, or with those of the kind.
 */
export function parseWaitedFor(text: string, { names: [plural], conditionTypes: ofKind = [] }: Listing): WaitedFor {
  if (text === 'delete') return { kind: 'delete' };
  const [type = '', status = 'True', ...rest] = text.replace(/^condition=/i, '').split('=');
  const isMeant = (candidate: string): boolean => candidate.toLowerCase() === type.toLowerCase();
  const known = ofKind.find(isMeant);
  if (known === undefined) {
    const elsewhere = allConditionTypes.find(isMeant);
    const problem =
      elsewhere === undefined ? `there is no condition ${type}` : `${plural} never have a condition ${elsewhere}`;
    const like = elsewhere === undefined ? nearest(type, ofKind) : undefined;
    const instead = ofKind.length === 0 ? 'only delete' : `use one of ${ofKind.join(', ')}, or delete`;
    throw new CliError(`--for ${text}: ${problem}: ${like === undefined ? instead : `did you mean ${like}?`}`);
  }
  const meant = (['True', 'False', 'Unknown'] as const).find((one) => one.toLowerCase() === status.toLowerCase());
  if (meant === undefined || rest.length > 0)
    throw new CliError(
      `--for ${text}: a condition is True, False or Unknown: write for example condition=${known}=False`,
    );
  return { kind: 'condition', type: known, status: meant };
}
