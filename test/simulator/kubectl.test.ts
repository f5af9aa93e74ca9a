import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectlTitle, kubectlVersion, manifest, openKubectl } from './kubectl.ts';

/** The manifest of an object that needs no more than a name. */
const objectText = (kind: string, name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind, metadata: { name } });

describe.skipIf(kubectlVersion === undefined)(kubectlTitle, { concurrent: true }, () => {
  let here: Awaited<ReturnType<typeof openKubectl>>;
  beforeAll(async () => {
    here = await openKubectl();
  });
  afterAll(() => here.close());

  /** Runs kubectl in its own namespace for one test; fails when kubectl fails. */
  async function within(namespace: string) {
    const run = async (args: string, how?: { input?: string; env?: Record<string, string> }) => {
      const result = await here.kubectl(`-n ${namespace} ${args}`, how);
      expect(result.code, `kubectl ${args}: ${result.err}`).toBe(0);
      return result.out.trim();
    };
    await run('apply --server-side -f -', { input: objectText('Namespace', namespace) });
    return {
      run,
      apply: (options: Parameters<typeof manifest>[1] = {}, flags = '--server-side') =>
        run(`apply ${flags} -f -`, { input: manifest(namespace, options) }),
      /** Its exit code and stderr when it fails. */
      fail: async (args: string, input?: string) => {
        const { code, err } = await here.kubectl(`-n ${namespace} ${args}`, input === undefined ? {} : { input });
        return `${code} ${err.trim()}`;
      },
    };
  }

  it('hears of a kind that does not exist, and of what a simulated pod cannot do, in the words for it', async () => {
    const { run, fail } = await within('absent');
    const text = 'apiVersion: v1\nkind: ConfigMapp\nmetadata: {name: a}\n';
    expect(await fail('apply -f -', text)).toBe(
      '1 error: resource mapping not found for name: "a" namespace: "" from "STDIN": no matches for kind "ConfigMapp" in version "v1"\nensure CRDs are installed first',
    );
    await run('run web --image=nginx');
    expect(await fail('exec web -- ls')).toBe(
      '1 Error from server (BadRequest): web is simulated: it has no containers, so there is no exec',
    );
  });

  it('creates from a file; its create commands without one get an error with an alternative', async () => {
    const { run, fail } = await within('create');
    const once = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once' } };
    const containers = [{ name: 'main', image: 'busybox' }];
    const spec = { template: { spec: { restartPolicy: 'Never', containers } } };
    expect(await run('create -f -', { input: JSON.stringify({ ...once, spec }) })).toBe('job.batch/once created');
    await run('wait --for=condition=Complete job/once --timeout=30s');
    expect(await fail('create configmap c')).toMatch(/read no protobuf: use kubectl apply, or kubectl create -f/);
  });

  it('applies on the server, and reports conflicting managers', async () => {
    const { apply, fail, run } = await within('ssa');
    expect(await apply()).toBe('deployment.apps/web serverside-applied');
    const other = manifest('ssa', { replicas: 5 });
    const result = await fail('apply --server-side --field-manager=other -f -', other);
    expect(result.split('\n')[0]).toBe(
      '1 error: Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas',
    );
    expect(result).toContain('re-run the apply\n  command with the `--force-conflicts` flag');
    await run('apply --server-side --field-manager=other --force-conflicts -f -', { input: other });
    expect(await run('get deploy web -o jsonpath={.spec.replicas}')).toBe('5');
  });

  it('applies from the client, and removes fields that the manifest no longer has', async () => {
    const { apply, run } = await within('csa');
    expect(await apply({ more: { minReadySeconds: 1 } }, '--server-side=false')).toBe('deployment.apps/web created');
    expect(await apply({ image: 'app:2' }, '--server-side=false')).toBe('deployment.apps/web configured');
    expect(await apply({ image: 'app:2' }, '--server-side=false')).toBe('deployment.apps/web unchanged');
    expect(
      await run('get deploy web -o jsonpath={.spec.minReadySeconds}/{.spec.template.spec.containers[*].image}'),
    ).toBe('/app:2');
  });

  it('diffs without changing anything', async () => {
    const { apply, run } = await within('diff');
    await apply();
    for (const flags of ['--server-side', '--server-side=false']) {
      const { code, out } = await here.kubectl(`diff ${flags} -f -`, { input: manifest('diff', { image: 'app:2' }) });
      expect(code).toBe(1);
      expect(out).toMatch(/^-\s+- image: app:1$/m);
      expect(out).toMatch(/^\+\s+- image: app:2$/m);
    }
    expect(await run('get deploy web -o jsonpath={.metadata.generation}')).toBe('1');
  });

  it('validates fields according to --validate', async () => {
    const { fail, run } = await within('fields');
    const input = manifest('fields', { more: { replica: 3 } });
    expect(await fail('apply -f -', input)).toContain('strict decoding error: unknown field "spec.replica"');
    expect(await fail('apply --server-side -f -', input)).toContain('.spec.replica: field not declared in schema');
    const warned = await here.kubectl('apply --validate=warn -f -', { input });
    expect([warned.code, warned.err.trim()]).toEqual([0, 'Warning: unknown field "spec.replica"']);
    expect(await run('get deploy web -o jsonpath={.spec.replica}')).toBe('');
  });

  it('gets as a table, wide, as YAML, by labels and by fields', async () => {
    const { apply, run, fail } = await within('get');
    await apply();
    await run('rollout status deploy/web --timeout=30s');
    expect(await run('get deploy web')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 +\S+$/);
    expect(await run('get deploy -o wide')).toMatch(/CONTAINERS +IMAGES +SELECTOR\nweb .* main +app:1 +app=web$/);
    expect(await run('get deploy web -o yaml')).toContain('\nspec:\n  progressDeadlineSeconds: 600\n  replicas: 2\n');
    expect(await run('get pods -l app=web -o name --chunk-size=1')).toMatch(/^(pod\/web-\S+\n?){2}$/);
    expect(await run('get pods -l app!=web')).toBe('');
    expect(await run('get pods --field-selector=status.phase=Running --no-headers')).toMatch(
      /^(web-\S+ +1\/1 .*\n?){2}$/,
    );
    expect(await fail('get pods --field-selector=spec.foo=1')).toContain('field label not supported: spec.foo');
    expect(await fail('get deploy other')).toBe('1 Error from server (NotFound): deployments.apps "other" not found');
    expect(await fail('get foos')).toBe('1 error: the server doesn\'t have a resource type "foos"');
    expect(await run('get all')).toContain('deployment.apps/web');
  });

  it('watches', async () => {
    const { run } = await within('watch');
    const asked = here.requested(/\/namespaces\/watch\/configmaps\?.*watch=true/);
    const watching = here.start('-n watch get configmaps -w --field-selector=metadata.name=c -o name'.split(' '));
    await asked;
    await run('create -f -', { input: objectText('ConfigMap', 'c') });
    await run('annotate configmap c note=hi');
    await run('delete configmap c');
    expect(await watching.lines(3)).toEqual(['configmap/c', 'configmap/c', 'configmap/c']);
    watching.stop();
    await watching.result;
  });

  it('waits for a condition and for a deletion', async () => {
    const { apply, run, fail } = await within('wait');
    await apply();
    expect(await run('wait --for=condition=Available deploy/web --timeout=30s')).toBe(
      'deployment.apps/web condition met',
    );
    expect(await fail('wait --for=condition=Never deploy/web --timeout=0s')).toContain('condition not met');
    const asked = here.requested(/\/namespaces\/wait\/deployments\?.*watch=true/);
    const gone = run('wait --for=delete deploy/web --timeout=30s');
    await asked;
    await run('delete deploy web --wait=false');
    expect(await gone).toBe('deployment.apps/web condition met');
  });

  it('labels, annotates, patches in three ways, edits and scales', async () => {
    const { apply, run, fail } = await within('change');
    await apply();
    await run('label deploy/web tier=front');
    expect(await fail('label deploy/web tier=back')).toContain("'tier' already has a value (front)");
    await run('annotate deploy/web note=hi');
    await run('patch deploy web -p {"spec":{"template":{"spec":{"containers":[{"name":"main","image":"app:2"}]}}}}');
    await run('patch deploy web --type=merge -p {"spec":{"minReadySeconds":1}}');
    await run('patch deploy web --type=json -p [{"op":"replace","path":"/spec/replicas","value":3}]');
    await run('edit deploy web', { env: { KUBE_EDITOR: 'sed -i s/tier:.front/tier:\\ back/' } });
    await run('scale deploy/web --replicas=4 --current-replicas=3');
    await run('set image deploy/web main=app:3');
    const path = '{.metadata.labels.tier}/{.metadata.annotations.note}/{.spec.minReadySeconds}/{.spec.replicas}';
    expect(await run(`get deploy web -o jsonpath=${path}/{.spec.template.spec.containers[0]}`)).toMatch(
      /^back\/hi\/1\/4\/\{"image":"app:3".*"name":"main","ports":\[\{"containerPort":80/,
    );
  });

  it.each(['deployment', 'statefulset', 'daemonset'])('rolls a %s out, again, and back', async (kind) => {
    const { run } = await within(`roll-${kind}`);
    const object = JSON.parse(manifest(`roll-${kind}`));
    const { replicas, ...spec } = object.spec;
    object.kind = { deployment: 'Deployment', statefulset: 'StatefulSet', daemonset: 'DaemonSet' }[kind];
    object.spec = kind === 'daemonset' ? spec : { ...spec, replicas };
    const apply = (image: string) => {
      object.spec.template.spec.containers[0].image = image;
      return run('apply --server-side -f -', { input: JSON.stringify(object) });
    };
    const status = () => run(`rollout status ${kind}/web --timeout=40s`);
    await apply('app:1');
    expect(await status()).toMatch(
      /successfully rolled out|roll(ing|out)? ?(update )?complete|partitioned roll out complete/,
    );
    await apply('app:2');
    await status();
    await run(`rollout restart ${kind}/web`);
    await status();
    expect(await run(`rollout history ${kind}/web`)).toMatch(/\n1 .*\n2 .*\n3 /);
    await run(`rollout undo ${kind}/web --to-revision=1`);
    await status();
    expect(await run(`get ${kind} web -o jsonpath={.spec.template.spec.containers[0].image}`)).toBe('app:1');
  });

  it('deletes at once, after a time, and with what hangs on it or without', async () => {
    const { apply, run } = await within('delete');
    await apply();
    await run('rollout status deploy/web --timeout=30s');
    await run('delete deploy web --cascade=orphan');
    const [pod = ''] = (await run('get pods -l app=web -o name')).split('\n');
    expect(pod).toMatch(/^pod\/web-/);
    await run(`delete ${pod} --grace-period=1`);
    await run('delete rs -l app=web --cascade=foreground --timeout=30s');
    expect(await run('get rs,pods -l app=web -o name')).toBe('');
    await run('create -f -', { input: objectText('ConfigMap', 'c') });
    expect(await run('delete configmap c --now --wait=false')).toBe('configmap "c" deleted');
    await run('delete namespace delete --timeout=30s');
  });

  it('describes', async () => {
    const { apply, run } = await within('describe');
    await apply();
    await run('rollout status deploy/web --timeout=30s');
    expect(await run('describe deploy web')).toMatch(
      /Replicas: +2 desired \| 2 updated \| 2 total \| 2 available.*NewReplicaSet: +web-\S+ \(2\/2 replicas created\).*ScalingReplicaSet/s,
    );
    expect(await run('describe pod -l app=web')).toMatch(/Status: +Running.*Ready +True.*Successfully assigned/s);
    const node = await run('describe node node-0');
    expect(node).toMatch(/HolderIdentity: +node-0.*InternalIP: +10.0.0.1.*Container Runtime Version: +simulated/s);
    expect(node).toMatch(/Non-terminated Pods:/);
    expect(await run('describe namespace describe')).toMatch(/Status: +Active/);
  });

  it('drains a node and gives it back', async () => {
    const { apply, run } = await within('drain');
    await apply();
    await run('rollout status deploy/web --timeout=30s');
    await run('cordon node-2');
    expect(await run('get node node-2')).toMatch(/Ready,SchedulingDisabled/);
    // Only the pods of this test: others are at work on the same node.
    await run('drain node-2 --ignore-daemonsets --pod-selector=app=web --timeout=30s');
    expect(await run('get pods --field-selector=spec.nodeName=node-2 -o name')).toBe('');
    await run('uncordon node-2');
  });

  it('finds its way: resources, versions, explanations, permissions', async () => {
    const { run } = await within('discovery');
    expect(await run('version')).toContain('Server Version: v1.32.4');
    expect(await run('api-resources --api-group=apps')).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
    expect(await run('api-versions')).toMatch(/^apps\/v1$/m);
    expect(await run('explain deploy.spec.replicas')).toMatch(/FIELD: replicas <integer>/);
    expect(await run('explain pods --recursive')).toMatch(/ {4}containers\t<\[\]Container> -required-/);
    expect(await run('auth can-i create deployments')).toBe('yes');
    expect(await run('auth whoami')).toContain('simulated-user');
  });

  it('serves a custom resource from its definition to its end', async () => {
    const { run, fail } = await within('custom');
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    required: ['size'],
                    properties: {
                      size: { type: 'integer', minimum: 1 },
                      color: { type: 'string', default: 'red', enum: ['red', 'blue'] },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    };
    await run('apply --server-side -f -', { input: JSON.stringify(definition) });
    await run('wait --for=condition=Established crd/widgets.example.com --timeout=30s');
    const widget = (spec: object) =>
      JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec });
    expect(await run('apply -f -', { input: widget({ size: 3 }) })).toBe('widget.example.com/w created');
    expect(await run('get wd')).toMatch(/^NAME +SIZE\nw +3$/);
    expect(await run('get wd w -o jsonpath={.spec}')).toBe('{"color":"red","size":3}');
    expect(await fail('apply -f -', widget({ size: 0 }))).toBe(
      '1 The Widget "w" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    );
    expect(await fail('apply -f -', widget({ size: 3, color: 'green' }))).toBe(
      '1 The Widget "w" is invalid: spec.color: Unsupported value: "green": supported values: "red", "blue"',
    );
    expect(await fail('apply -f -', widget({ size: 3, sise: 3 }))).toContain('unknown field "spec.sise"');
    await run('delete crd widgets.example.com --timeout=30s');
    expect(await fail('get widgets')).toMatch(/^1 /);
  });
});
