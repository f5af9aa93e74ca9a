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
        if (kind === 'ClusterRole') return verbs;
        const why = 'namespaced rules cannot apply to non-resource URLs';
        return [...verbs, invalidField(field('nonResourceURLs'), urls, why, 'move the rule to a ClusterRole')];
      }
      return [
        ...verbs,
        ...needed('apiGroups', 'resource rules must supply at least one api group'),
        ...needed('resources', 'resource rules must supply at least one resource'),
      ];
    });

const rightsGroup = 'rbac.authorization.k8s.io';

/** Validation errors of the role of a binding (ValidateRoleBinding, ValidateClusterRoleBinding). Servers fill in the group. */
export const bindingCauses =
  (kind: 'RoleBinding' | 'ClusterRoleBinding') =>
  ({ roleRef }: Fields): Cause[] => {
    const kinds = kind === 'RoleBinding' ? ['ClusterRole', 'Role'] : ['ClusterRole'];
    const [group, role] = [textAt(roleRef, 'apiGroup'), textAt(roleRef, 'kind')];
    return [
      ...(group === rightsGroup || group === '' ? [] : [unsupportedField('roleRef.apiGroup', group, [rightsGroup])]),
      ...(kinds.includes(role)
        ? []
        : [{ ...unsupportedField('roleRef.kind', role, kinds), ...(role !== '' && { choices: kinds }) }]),
    ];
  };
