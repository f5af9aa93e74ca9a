import { nearest } from '../../api/syntax.ts';
import { CliError } from '../terminal/exit.ts';

/** What `wait` waits for. */
export type WaitedFor =
  | { readonly kind: 'condition'; readonly type: string; readonly status: 'True' | 'False' | 'Unknown' }
  | { readonly kind: 'delete' };

/** Conditions that KubeFleet sets on the kinds of the status branch, without the prefix of placements. */
const conditionTypes: readonly string[] = [
  'Scheduled',
  'RolloutStarted',
  'Overridden',
  'WorkSynchronized',
  'Applied',
  'Available',
  'DiffReported',
  'Initialized',
  'Progressing',
  'Succeeded',
  'Approved',
  'ApprovalAccepted',
  'Joined',
  'Healthy',
  'Valid',
  'Executed',
];

/** `Available`, kubectl's `condition=Available` and `condition=Applied=False`, or `delete`. Error: CliError with the nearest. */
export function parseWaitedFor(text: string): WaitedFor {
  if (text === 'delete') return { kind: 'delete' };
  const [type = '', status = 'True', ...rest] = text.replace(/^condition=/i, '').split('=');
  const known = conditionTypes.find((candidate) => candidate.toLowerCase() === type.toLowerCase());
  if (known === undefined) {
    const like = nearest(type, conditionTypes);
    throw new CliError(
      `--for ${text}: there is no condition ${type}: ${like === undefined ? `use one of ${conditionTypes.join(', ')}, or delete` : `did you mean ${like}?`}`,
    );
  }
  const meant = (['True', 'False', 'Unknown'] as const).find((one) => one.toLowerCase() === status.toLowerCase());
  if (meant === undefined || rest.length > 0)
    throw new CliError(
      `--for ${text}: a condition is True, False or Unknown: write for example condition=${known}=False`,
    );
  return { kind: 'condition', type: known, status: meant };
}
