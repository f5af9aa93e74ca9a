import { secretFromEnv } from '../../git/secret-from-env.ts';
import { fileTrouble } from '../terminal/file-trouble.ts';

/**
 * What signs webhooks. A file that was named and holds nothing is told to `warn`, one sentence, and no error: a Deployment names
 * the file of a Secret whose key may be left out.
 */
export async function webhookSecret(warn: (message: string) => void): Promise<string | undefined> {
  const { secret, file } = await secretFromEnv('GITFLEET_WEBHOOK_SECRET');
  if (secret !== undefined || file === undefined) return secret;
  const why = file.error === undefined ? 'the file is empty' : fileTrouble(file.error);
  warn(`${file.variable}: ${file.path}: ${why}, so there is no secret`);
  return undefined;
}
