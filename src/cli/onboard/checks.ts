/** One thing that was looked at. */
export interface Check {
  readonly state: 'ok' | 'warning' | 'failed' | 'unreachable';
  /** `repo`, `push`, `forge`, `member`, `rights`, `clock` */
  readonly check: string;
  /** Of the branch, the forge, the member. */
  readonly name: string;
  readonly message: string;
  readonly fix?: string;
}

type Subject = Pick<Check, 'check' | 'name'>;

const made =
  (state: Check['state']) =>
  (of: Subject, message: string, fix?: string): Check => ({ ...of, state, message, ...(fix !== undefined && { fix }) });

export const fine = made('ok');
export const warning = made('warning');
export const failed = made('failed');
export const unreached = made('unreachable');
