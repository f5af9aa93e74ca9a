import { isSubdomain } from '../../api/syntax.ts';
import { at, listAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField } from './cause.ts';
import { distinctNames } from './distinct-names.ts';

/** Webhooks of a configuration (admissionregistration validation, validateValidatingWebhook). */
export function admissionCauses(configuration: Fields): Cause[] {
  const webhooks = listAt(configuration, 'webhooks');
  return [
    ...webhooks.flatMap((webhook, index) => webhookCauses(webhook, `webhooks[${index}]`)),
    ...distinctNames(webhooks, 'webhooks'),
  ];
}

/** Servers wait at most this long for a webhook. */
const longestTimeout = 30;

function webhookCauses(webhook: unknown, field: string): Cause[] {
  const timeout = at(webhook, 'timeoutSeconds');
  return [
    ...nameCauses(textAt(webhook, 'name'), `${field}.name`),
    ...clientCauses(at(webhook, 'clientConfig'), `${field}.clientConfig`),
    ...(textAt(webhook, 'sideEffects') === '' ? [requiredField(`${field}.sideEffects`)] : []),
    ...(listAt(webhook, 'admissionReviewVersions').length === 0
      ? [requiredField(`${field}.admissionReviewVersions`, 'must specify one of v1, v1beta1', 'write [v1]')]
      : []),
    ...(typeof timeout === 'number' && (timeout < 1 || timeout > longestTimeout)
      ? [
          invalidField(
            `${field}.timeoutSeconds`,
            timeout,
            `the timeout value must be between 1 and ${longestTimeout} seconds`,
            `write 1 to ${longestTimeout}`,
          ),
        ]
      : []),
    ...listAt(webhook, 'rules').flatMap((rule, index) =>
      ['operations', 'apiGroups', 'apiVersions', 'resources']
        .filter((name) => listAt(rule, name).length === 0)
        .map((name) => requiredField(`${field}.rules[${index}].${name}`)),
    ),
  ];
}

function nameCauses(name: string, field: string): Cause[] {
  if (name === '') return [requiredField(field)];
  if (isSubdomain(name) && name.split('.').length >= 3) return [];
  const why = 'should be a domain with at least three segments separated by dots';
  return [invalidField(field, name, why, 'write for example policy.example.com')];
}

function clientCauses(config: unknown, field: string): Cause[] {
  if (!isFields(config)) return [requiredField(field)];
  const url = textAt(config, 'url');
  if ((url !== '') === isFields(config['service']))
    return [requiredField(field, 'exactly one of url or service is required', 'write one of them')];
  if (url === '' || url.startsWith('https://')) return [];
  const why = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
  return [invalidField(`${field}.url`, url, why, 'write https://')];
}
