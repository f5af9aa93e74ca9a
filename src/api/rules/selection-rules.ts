import { error, type Issue, warning } from '../issue.ts';
import { givesNamespace, type Placement, type ResourceSelector, selectsNamespaces } from '../placement.ts';
import { selectorIssues } from './selector-rules.ts';

/** Rules for resource selectors: either name or labels, and selectionScope only where it has an effect. */
export function selectionIssues(selectors: readonly ResourceSelector[], kind: Placement['kind']): Issue[] {
  const issues: Issue[] = [];
  selectors.forEach((selector, index) => {
    if (selector.name && selector.labelSelector !== undefined) {
      issues.push(
        error(
          'exclusive-fields',
          at(index),
          'name and labelSelector exclude each other',
          'keep one of them, or write two selectors',
        ),
      );
    }
    issues.push(...selectorIssues(selector.labelSelector, at(index, 'labelSelector')));
    if (selector.selectionScope !== 'NamespaceWithResources' && !selectsNamespaces(selector)) {
      // KubeFleet accepts it with any kind and uses it only for a Namespace.
      issues.push(
        warning(
          'ignored-field',
          at(index, 'selectionScope'),
          `selectionScope ${selector.selectionScope} has an effect only on the core kind Namespace and is ignored`,
          'remove selectionScope',
        ),
      );
    }
  });
  return [...issues, ...withSelectorsIssues(selectors, kind)];
}

/** NamespaceWithResourceSelectors: one named Namespace, in which the other selectors select. */
function withSelectorsIssues(selectors: readonly ResourceSelector[], kind: Placement['kind']): Issue[] {
  const issues: Issue[] = [];
  const withSelectors = selectors.flatMap((selector, index) => (givesNamespace(selector) ? [{ selector, index }] : []));
  if (withSelectors.length > 1)
    issues.push(
      error(
        'invalid-selection-scope',
        at(withSelectors[1]!.index),
        'only one selector may have selectionScope NamespaceWithResourceSelectors',
        'keep one of them',
      ),
    );
  const [only] = withSelectors;
  if (only) {
    if (kind === 'ResourcePlacement')
      issues.push(
        error(
          'invalid-selection-scope',
          at(only.index),
          'a ResourcePlacement selects in its own namespace only',
          'remove this selector, or use a ClusterResourcePlacement',
        ),
      );
    if (!only.selector.name || only.selector.labelSelector !== undefined) {
      issues.push(
        error(
          'invalid-selection-scope',
          at(only.index),
          'NamespaceWithResourceSelectors needs a namespace by name, not by labels',
          'write name, without labelSelector',
        ),
      );
    }
    selectors.forEach((selector, index) => {
      if (index !== only.index && selectsNamespaces(selector))
        issues.push(
          error(
            'invalid-selection-scope',
            at(index),
            'with NamespaceWithResourceSelectors no other Namespace can be selected',
            'select it in a placement of its own',
          ),
        );
    });
  }
  return issues;
}

const at = (index: number, ...rest: string[]): Issue['path'] => ['spec', 'resourceSelectors', index, ...rest];
