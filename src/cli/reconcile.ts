import { createHmac, randomUUID } from 'node:crypto';
import { parseDuration } from '../engine/kernel/duration.ts';
import { webhookSecret } from './run/webhook-secret.ts';
import { moved } from './status/follow.ts';
import { type StatusOptions, type StatusReader, withStatus } from './status/open-status.ts';
import { desiredTip, isPlannedFrom, lastStatusCommit, missingCommit } from './status/planned-from.ts';
import { CliError, exitCodes } from './terminal/exit.ts';
import { print } from './terminal/output.ts';
import { writeError } from './terminal/write.ts';

export interface ReconcileOptions extends StatusOptions {
  readonly branch: string;
  readonly daemon: string;
  readonly timeout: string;
  readonly wait: boolean;
}

/** The daemon responds at once and reconciles afterwards. Milliseconds. */
const answerWithinMs = 10_000;

/**
 * Notifies the daemon by its webhook, and waits until the status branch has the newest commit. Without the webhook's secret it
 * only waits: the daemon polls, and sees changes of a local repo at once. If the status had that commit already, a note says
 * that it is unknown whether the daemon runs.
 */
export async function reconcile(options: ReconcileOptions): Promise<void> {
  const ms = parseDuration(options.timeout);
  if (ms === undefined)
    throw new CliError(`--timeout ${options.timeout} is not a duration: write for example 30s or 5m`);
  const deadline = Date.now() + ms;
  const secret = await webhookSecret((message) => writeError(`note: ${message}\n`));
  if (secret !== undefined) await nudge(options.daemon, secret);
  else
    writeError(
      'note: GITFLEET_WEBHOOK_SECRET is not set, so the daemon is not notified and reconciles at its next --interval\n',
    );
  if (!options.wait) return print(secret === undefined ? 'nothing was done' : 'the daemon reconciles now');
  await withStatus(options, (reader) => awaitStatus(reader, options, { deadline, wasNotified: secret !== undefined }));
}

async function nudge(daemon: string, secret: string): Promise<void> {
  // A body that the daemon has seen is a duplicate.
  const body = JSON.stringify({ reason: 'gitfleet reconcile', id: randomUUID() });
  const url = new URL('/hooks/git', daemonUrl(daemon));
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CliError(`--daemon ${daemon} does not respond: ${cause}`, exitCodes.unreachable, { cause: error });
  });
  const reason = (await response.text()).trim();
  if (response.ok) return;
  throw new CliError(`--daemon ${daemon} refused (${response.status}): ${reason}`, exitCodes.unreachable);
}

function daemonUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new CliError(`--daemon ${text} is not an address: write for example http://127.0.0.1:8080`);
}

async function awaitStatus(
  reader: StatusReader,
  { branch, timeout }: ReconcileOptions,
  { deadline, wasNotified }: { readonly deadline: number; readonly wasNotified: boolean },
): Promise<void> {
  const { branches } = reader;
  const wanted = await desiredTip(branches, branch);
  for (let isFirst = true; ; isFirst = false) {
    const tip = await reader.tip();
    if (tip !== undefined) {
      const status = await reader.read([]);
      if (await isPlannedFrom(branches, status, wanted)) {
        if (isFirst && !wasNotified) await noteDaemonUnknown(reader, status.tip);
        return print(`the status is of commit ${status.record.commit!.slice(0, 12)}`);
      }
      if (await moved(reader, status.tip, deadline)) continue;
      throw overdue(await missingCommit(branches, status, wanted), timeout);
    }
    if (!(await moved(reader, undefined, deadline))) throw overdue('a first status; is gitfleet run running?', timeout);
  }
}

/** A daemon with nothing to do commits nothing, so a current status does not show whether one runs. */
async function noteDaemonUnknown({ branches }: StatusReader, tip: string): Promise<void> {
  writeError(
    `note: the status was already current: ${await lastStatusCommit(branches, tip)}; it is unknown whether gitfleet run is running\n`,
  );
}

const overdue = (missing: string, timeout: string): CliError =>
  new CliError(`timed out after ${timeout}, still missing: ${missing}`, exitCodes.somethingToDo);
