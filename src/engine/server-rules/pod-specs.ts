/** Where kinds have the spec of their pods. */
export const podSpecs: Readonly<Record<string, string>> = {
  '/Pod': 'spec',
  'apps/Deployment': 'spec.template.spec',
  'apps/ReplicaSet': 'spec.template.spec',
  'apps/StatefulSet': 'spec.template.spec',
  'apps/DaemonSet': 'spec.template.spec',
  'batch/Job': 'spec.template.spec',
  'batch/CronJob': 'spec.jobTemplate.spec.template.spec',
};
