import { at, fieldsAt, textAt } from '../../engine/kernel/at.ts';
import type { Fields } from '../schema/schema.ts';
import { inSpec } from './prepare-pod.ts';

/** Fields that every new Job gets. */
export const newJob = (job: Fields): Fields => jobOwnLabels(jobCounts(job));

/** Defaults: both counts are 1 if neither is set; parallelism is 1 if only it is missing. */
function jobCounts(job: Fields): Fields {
  const [parallelism, completions] = [at(job, 'spec', 'parallelism'), at(job, 'spec', 'completions')];
  const alone = parallelism === undefined && completions === undefined;
  return inSpec(job, { parallelism: parallelism ?? 1, ...(alone ? { completions: 1 } : {}) });
}

/** The selector of a Job is its own uid, unless manualSelector is set (batch/job/strategy.go). */
function jobOwnLabels(job: Fields): Fields {
  if (at(job, 'spec', 'manualSelector') === true) return job;
  const uid = textAt(job, 'metadata', 'uid');
  const name = textAt(job, 'metadata', 'name');
  const template = fieldsAt(job, 'spec', 'template');
  const labels = {
    ...fieldsAt(template, 'metadata', 'labels'),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  return inSpec(job, {
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    template: { ...template, metadata: { ...fieldsAt(template, 'metadata'), labels } },
  });
}
