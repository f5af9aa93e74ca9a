import { isFields } from '../schema/schema.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';

/** `kubectl auth can-i` and `whoami`: everything is allowed on a simulated member, unless a fault forbids it. */
export function review(request: SimRequest, plural: string): SimResponse | undefined {
  if (plural === 'selfsubjectaccessreviews') {
    return json(201, {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: specOf(request),
      status: { allowed: true, reason: 'a simulated member allows everything' },
    });
  }
  if (plural === 'selfsubjectrulesreviews') {
    return json(201, {
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {},
      status: {
        incomplete: false,
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      },
    });
  }
  if (plural === 'selfsubjectreviews') {
    return json(201, {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {},
      status: { userInfo: { username: 'simulated-user', groups: ['system:masters', 'system:authenticated'] } },
    });
  }
  return undefined;
}

/** Empty for protobuf, which kubectl sends here and which does not affect the response. */
function specOf(request: SimRequest): unknown {
  try {
    const body: unknown = JSON.parse(request.body ?? '');
    return isFields(body) && isFields(body['spec']) ? body['spec'] : {};
  } catch {
    return {};
  }
}
