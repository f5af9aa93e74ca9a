import { fileErrorText } from '../../api/file-error-text.ts';
import { secretFromEnv } from '../../git/secret-from-env.ts';

/**
 * The secret that signs webhooks. A configured file that is empty or missing is not an error, only a warning of one sentence: a
 * Deployment names the file of a Secret whose key may be left out.
 */
export async function webhookSecret(warn: (message: string) => void): Promise<string | undefined> {
  const { secret, file } = await secretFromEnv('GITFLEET_WEBHOOK_SECRET');
  if (secret !== undefined || file === undefined) return secret;
  const why = file.error === undefined ? 'the file is empty' : fileErrorText(file.error);
  warn(`${file.variable}: ${file.path}: ${why}, so there is no secret`);
  return undefined;
}
