import { listAt, textAt } from '../kernel/at.ts';
import type { Fields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField, unsupportedField } from './cause.ts';

/** Validation errors of the rules of a Role or ClusterRole (rbac validation, ValidatePolicyRule). */
export const ruleCauses =
  (kind: 'Role' | 'ClusterRole') =>
  (role: Fields): Cause[] =>
    listAt(role, 'rules').flatMap((rule, index) => {
      const field = (name: string) => `rules[${index}].${name}`;
      const needed = (name: string, why: string) =>
        listAt(rule, name).length > 0 ? [] : [requiredField(field(name), why)];
      const verbs = needed('verbs', 'verbs must contain at least one value');
      const urls = listAt(rule, 'nonResourceURLs');
      if (urls.length > 0) {
        if (kind === 'ClusterRole') return [...verbs, ...mixedCauses(rule, field('nonResourceURLs'))];
        const why = 'namespaced rules cannot apply to non-resource URLs';
        return [...verbs, invalidField(field('nonResourceURLs'), urls, why, 'move the rule to a ClusterRole')];
      }
      return [
        ...verbs,
        ...needed('apiGroups', 'resource rules must supply at least one api group'),
        ...needed('resources', 'resource rules must supply at least one resource'),
      ];
    });

function mixedCauses(rule: unknown, field: string): Cause[] {
  if (['apiGroups', 'resources', 'resourceNames'].every((name) => listAt(rule, name).length === 0)) return [];
  const why = 'rules cannot apply to both regular resources and non-resource URLs';
  return [invalidField(field, listAt(rule, 'nonResourceURLs'), why, 'make two rules of it')];
}

const rightsGroup = 'rbac.authorization.k8s.io';

/** Validation errors of the role of a binding (ValidateRoleBinding, ValidateClusterRoleBinding). Servers fill in the group. */
export const bindingCauses =
  (kind: 'RoleBinding' | 'ClusterRoleBinding') =>
  ({ roleRef, subjects }: Fields): Cause[] => {
    const kinds = kind === 'RoleBinding' ? ['ClusterRole', 'Role'] : ['ClusterRole'];
    const [group, role] = [textAt(roleRef, 'apiGroup'), textAt(roleRef, 'kind')];
    return [
      ...(group === rightsGroup || group === '' ? [] : [unsupportedField('roleRef.apiGroup', group, [rightsGroup])]),
      ...(kinds.includes(role)
        ? []
        : [{ ...unsupportedField('roleRef.kind', role, kinds), ...(role !== '' && { choices: kinds }) }]),
      ...(Array.isArray(subjects) ? subjects : []).flatMap((subject, index) =>
        subjectCauses(subject, `subjects[${index}]`, kind === 'RoleBinding'),
      ),
    ];
  };

/** Who a binding is for (ValidateRoleBindingSubject). In a RoleBinding servers accept a ServiceAccount without a namespace. */
function subjectCauses(subject: unknown, field: string, isNamespaced: boolean): Cause[] {
  const [kind, group] = [textAt(subject, 'kind'), textAt(subject, 'apiGroup')];
  if (kind === 'ServiceAccount')
    return [
      ...(group === ''
        ? []
        : [
            {
              ...unsupportedField(`${field}.apiGroup`, group, ['']),
              why: 'a ServiceAccount has none',
              fix: 'remove it',
            },
          ]),
      ...(!isNamespaced && textAt(subject, 'namespace') === '' ? [requiredField(`${field}.namespace`)] : []),
    ];
  if ((kind !== 'User' && kind !== 'Group') || group === '' || group === rightsGroup) return [];
  return [unsupportedField(`${field}.apiGroup`, group, [rightsGroup])];
}
