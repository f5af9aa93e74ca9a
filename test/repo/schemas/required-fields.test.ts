import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { allBuiltInKinds, builtInGroups } from '../../../src/engine/selection/scope.ts';

const models = fileURLToPath(
  new URL('../../../node_modules/@kubernetes/client-node/dist/gen/models/', import.meta.url),
);
const versions = ['1', '2', '1beta1', '1beta2'];

/**
 * The description marks as required what the server always writes. Of these, a server accepts the value that is taken for an absent
 * one (false, 0, an empty text or list), so that a manifest may leave it out.
 */
const optional = new Set([
  'V1CSIDriver.spec',
  'V1CSINode.spec',
  'V1CSINodeSpec.drivers',
  'V1ControllerRevision.revision',
  'V1CustomResourceDefinitionVersion.served',
  'V1CustomResourceDefinitionVersion.storage',
  'V1HTTPHeader.value',
  'V1ISCSIPersistentVolumeSource.lun',
  'V1ISCSIVolumeSource.lun',
  'V1LimitRangeSpec.limits',
  'V1PodFailurePolicy.rules',
  'V1PreferredSchedulingTerm.preference',
  'V1ScaleIOPersistentVolumeSource.secretRef',
  'V1ScaleIOVolumeSource.secretRef',
  'V1SleepAction.seconds',
  'V1Sysctl.value',
]);

/** Not by a manifest: members write the status, and KubeFleet removes ownerReferences from the metadata. */
const leftOut = new Set(['metadata', 'status']);

function requiredByModel(): ReadonlyMap<string, readonly string[]> {
  const required = new Map<string, readonly string[]>();
  const read = (model: string): void => {
    if (required.has(model) || !existsSync(`${models}${model}.d.ts`)) return;
    const properties = readFileSync(`${models}${model}.d.ts`, 'utf8').matchAll(/^ {4}'(\w+)'(\??): (.*);$/gm);
    const used = [...properties].filter(([, name = '']) => !leftOut.has(name));
    const names = used.flatMap(([, name = '', mark]) => (mark || optional.has(`${model}.${name}`) ? [] : [name]));
    required.set(model, names);
    for (const [, , , type = ''] of used) for (const [inner] of type.matchAll(/\b[A-Z]\w*/g)) read(inner);
  };
  for (const kind of allBuiltInKinds().filter((name) => !builtInGroups(name).includes('resource.k8s.io')))
    for (const version of versions) read(`V${version}${kind}`);
  return required;
}

it('lists what the models of client-node require; `vitest run FILE --update` writes it anew', async () => {
  const rows = [...requiredByModel()].filter(([, names]) => names.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `/** Required fields of the models of client-node, apart from the status; written by test/repo/schemas/required-fields.test.ts. */
export const requiredFields: Readonly<Record<string, string>> = {
${rows.map(([model, names]) => `  ${model}:${model.length + names.join(' ').length > 112 ? '\n   ' : ''} '${names.join(' ')}',`).join('\n')}
};
`;
  await expect(text).toMatchFileSnapshot('../../../src/repo/schemas/required-fields.ts');
});
