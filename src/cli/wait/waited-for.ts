import { nearest } from '../../api/syntax.ts';
import { CliError } from '../terminal/exit.ts';

/** What `wait` waits for. */
export type WaitedFor =
  | { readonly kind: 'condition'; readonly type: string; readonly status: 'True' | 'False' | 'Unknown' }
  | { readonly kind: 'delete' };

const delivery = ['RolloutStarted', 'Overridden', 'WorkSynchronized', 'Applied', 'Available', 'DiffReported'];

/** Conditions that KubeFleet sets on the kinds of the status branch, without the prefix of placements; other kinds have none. */
const conditionTypes: Readonly<Record<string, readonly string[]>> = {
  placements: ['Scheduled', ...delivery],
  bindings: delivery,
  policysnapshots: ['Scheduled'],
  clusters: ['Joined', 'Healthy'],
  runs: ['Initialized', 'Progressing', 'Succeeded'],
  approvals: ['Approved', 'ApprovalAccepted'],
  evictions: ['Valid', 'Executed'],
};

const allTypes: readonly string[] = [...new Set(Object.values(conditionTypes).flat())];

/**
 * `Available`, kubectl's `condition=Available` and `condition=Applied=False`, or `delete`; of a kind, by its plural. Errors:
 * CliError with the nearest, or with what the kind has where its objects never have the condition.
 */
export function parseWaitedFor(text: string, plural: string): WaitedFor {
  if (text === 'delete') return { kind: 'delete' };
  const [type = '', status = 'True', ...rest] = text.replace(/^condition=/i, '').split('=');
  const isMeant = (candidate: string): boolean => candidate.toLowerCase() === type.toLowerCase();
  const ofKind = conditionTypes[plural] ?? [];
  const known = ofKind.find(isMeant);
  if (known === undefined) {
    const elsewhere = allTypes.find(isMeant);
    const said =
      elsewhere === undefined ? `there is no condition ${type}` : `${plural} never have a condition ${elsewhere}`;
    const like = elsewhere === undefined ? nearest(type, ofKind) : undefined;
    const instead = ofKind.length === 0 ? 'only delete' : `use one of ${ofKind.join(', ')}, or delete`;
    throw new CliError(`--for ${text}: ${said}: ${like === undefined ? instead : `did you mean ${like}?`}`);
  }
  const meant = (['True', 'False', 'Unknown'] as const).find((one) => one.toLowerCase() === status.toLowerCase());
  if (meant === undefined || rest.length > 0)
    throw new CliError(
      `--for ${text}: a condition is True, False or Unknown: write for example condition=${known}=False`,
    );
  return { kind: 'condition', type: known, status: meant };
}
